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

/** A JSON array without member names: in SQLite a row then fits into a page with others. */
export function packMembers(receipt: Receipt, members: readonly (keyof Receipt)[]): string {
  return JSON.stringify(members.map((member) => receipt[member]));
}

/** The counterpart of `packMembers`, for the same members in the same order. */
export function unpackMembers(text: string, members: readonly (keyof Receipt)[]): Partial<Receipt> {
  const values = JSON.parse(text) as unknown[];
  return Object.fromEntries(members.map((member, at) => [member, values[at] ?? DEFAULTS[member] ?? null]));
}

export function packReceipt(receipt: Receipt): string {
  return packMembers(receipt, RECEIPT_MEMBERS);
}

export function unpackReceipt(text: string): Receipt {
  // Schema 3 stored an object with member names.
  if (text.startsWith('{')) return { ...DEFAULTS, ...(JSON.parse(text) as Receipt) };
  return unpackMembers(text, RECEIPT_MEMBERS) as Receipt;
}
