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

const OBJECTS: ReadonlySet<keyof Receipt> = new Set(['decision', 'client', 'sideEffects', 'outputSummary']);

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
/** Replaces an object, which follows after the last member. */
const OBJECT_AT_END = 0;

/**
 * A JSON array without member names, as short as possible: a claim with a receipt of more than about 800 bytes needs a
 * second page in SQLite. Objects come last, because an array of texts and numbers is serialized in half the time and most
 * objects need it only once.
 */
export function packMembers(receipt: Receipt, members: readonly (keyof Receipt)[]): string {
  const { inputHash } = receipt;
  const values: (string | number | null)[] = [];
  let objects = '';
  for (const member of members) {
    const value = receipt[member];
    if (value !== null && typeof value === 'object') {
      values.push(OBJECT_AT_END);
      objects += `,${member === 'outputSummary' ? JSON.stringify(value) : jsonOfShared(value)}`;
    } else {
      values.push(member === 'sentHash' && value === inputHash && value !== null ? SAME_HASH : value);
    }
  }
  return `${JSON.stringify(values).slice(0, -1)}${objects}]`;
}

const sharedJson = new WeakMap<object, string>();

/** The JSON of an object that the receipts of many calls share: a decision, a client, declared side effects. */
function jsonOfShared(value: object): string {
  let json = sharedJson.get(value);
  if (json === undefined) {
    json = JSON.stringify(value);
    sharedJson.set(value, json);
  }
  return json;
}

/** The counterpart of `packMembers`, for the same members in the same order. */
export function unpackMembers(text: string, members: readonly (keyof Receipt)[]): Partial<Receipt> {
  const values = JSON.parse(text) as unknown[];
  const receipt: Record<string, unknown> = {};
  let end = members.length;
  members.forEach((member, at) => {
    const isAtEnd = OBJECTS.has(member) && values[at] === OBJECT_AT_END;
    receipt[member] = (isAtEnd ? values[end++] : values[at]) ?? DEFAULTS[member] ?? null;
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
