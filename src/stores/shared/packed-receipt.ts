import type { Receipt } from '../../contract/call/receipt.ts';

/** Permanent, because stored receipts must stay readable: a new member is added at the end. */
export const RECEIPT_MEMBERS: readonly (keyof Receipt)[] = [
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
  'tenant',
  'client',
  'operation',
  'toolVersion',
  'sideEffects',
  'sentHash',
  'outputSummary',
  'approvalId',
  'credential',
  'transport',
];

/** The values of members that receipts of earlier versions do not have. */
const DEFAULTS: Partial<Receipt> = {
  tenant: null,
  client: null,
  operation: null,
  toolVersion: null,
  sideEffects: [],
  sentHash: null,
  outputSummary: null,
  approvalId: null,
  credential: null,
  transport: null,
};

/** Replaces a `sentHash` that equals the `inputHash`, as most do. */
const SAME_HASH = 0;

/**
 * A JSON array without member names, as short as possible: a claim with a receipt of more than about 800 bytes needs a
 * second page in SQLite.
 */
export function packMembers(receipt: Receipt, members: readonly (keyof Receipt)[]): string {
  const { inputHash, sentHash } = receipt;
  const isSameHash = sentHash !== null && sentHash === inputHash;
  const values: unknown[] = [];
  for (const member of members) {
    values.push(member === 'sentHash' && isSameHash ? SAME_HASH : receipt[member]);
  }
  return JSON.stringify(values);
}

/** The counterpart of `packMembers`, for the same members in the same order. */
export function unpackMembers(text: string, members: readonly (keyof Receipt)[]): Partial<Receipt> {
  const values = JSON.parse(text) as unknown[];
  const receipt: Record<string, unknown> = {};
  members.forEach((member, at) => {
    receipt[member] = values[at] ?? DEFAULTS[member] ?? null;
  });
  if (receipt.sentHash === SAME_HASH) receipt.sentHash = receipt.inputHash;
  return receipt;
}

export function packReceipt(receipt: Receipt): string {
  return packMembers(receipt, RECEIPT_MEMBERS);
}

export function unpackReceipt(text: string): Receipt {
  // Schema 3 stored an object with member names.
  if (text.startsWith('{')) return { ...DEFAULTS, ...(JSON.parse(text) as Receipt) };
  return unpackMembers(text, RECEIPT_MEMBERS) as Receipt;
}
