import type { Receipt } from '../../contract/call/receipt.ts';

/** For good: what an earlier version packed must be read. A new member comes last. */
const ORDER: readonly (keyof Receipt)[] = [
  'callId',
  'traceId',
  'at',
  'principalId',
  'surface',
  'requested',
  'toolId',
  'toolDigest',
  'mutation',
  'inputHash',
  'decision',
  'status',
  'errorCode',
  'phase',
  'durationMs',
  'idempotencyKey',
  'source',
  'attempts',
];

/** A receipt without the names of its members: in SQLite a claim with it then fits into a page beside others. */
export function packedReceipt(receipt: Receipt): string {
  return JSON.stringify(ORDER.map((member) => receipt[member]));
}

export function unpackedReceipt(text: string): Receipt {
  const packed = JSON.parse(text) as unknown[] | Receipt;
  // As it was kept before it was packed.
  if (!Array.isArray(packed)) return packed;
  return Object.fromEntries(ORDER.map((member, at) => [member, packed[at]])) as unknown as Receipt;
}
