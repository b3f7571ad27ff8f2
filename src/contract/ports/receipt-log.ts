import type { JsonObject } from '../../base/json/json.ts';
import type { Receipt } from '../call/receipt.ts';
import type { Resolution } from './idempotency-store.ts';

/** A call that ended, or whose process ended before it could record an outcome (`unknown`). */
export interface CallEntry {
  readonly kind: 'call';
  readonly receipt: Receipt;
}

/** A write that is about to be sent. Recorded only where a call without a record must not happen. */
export interface IntentEntry {
  readonly kind: 'intent';
  readonly at: string;
  readonly callId: string;
  readonly traceId: string;
  readonly principalId: string;
  readonly toolId: string;
  readonly toolDigest: string;
  /** SHA-256 over the canonical form of the arguments as sent. */
  readonly sentHash: string;
}

/** An operator's statement about a call whose outcome was unknown. */
export interface ResolutionEntry {
  readonly kind: 'resolution';
  readonly at: string;
  /** The call that was resolved. */
  readonly callId: string;
  readonly traceId: string;
  readonly idempotencyKey: string | null;
  readonly principalId: string;
  readonly verdict: Resolution;
  /** The operator's evidence. */
  readonly reason: string | null;
}

/** A change that an operator, or the gateway by its configuration, made to what is stored. */
export interface OperatorEntry {
  readonly kind: 'operator';
  readonly at: string;
  readonly principalId: string;
  readonly action: 'prune' | 'clear_examples';
  readonly details: JsonObject;
}

export type LogEntry = CallEntry | IntentEntry | ResolutionEntry | OperatorEntry;

export const ENTRY_KINDS: readonly LogEntry['kind'][] = ['call', 'intent', 'resolution', 'operator'];

/** An entry as the log returns it, with its place in the order. */
export type RecordedEntry = LogEntry & { readonly seq: number };

export interface LogQuery {
  readonly kind?: LogEntry['kind'];
  readonly principalId?: string;
  readonly toolId?: string;
  /** `namespace:name`: the entries of every id of this tool, whatever its version and shape were. */
  readonly toolName?: string;
  readonly status?: Receipt['status'];
  /** ISO 8601, UTC: only entries of this time or later. */
  readonly since?: string;
  /** ISO 8601, UTC: only entries before this time. */
  readonly until?: string;
  /** The sequence number of the last entry of the previous page: only entries that are listed after it. */
  readonly before?: number;
  readonly limit: number;
}

export interface PruneRequest {
  /** ISO 8601, UTC: entries before this time are removed. */
  readonly before: string;
  /** Recorded as the one that pruned the log. */
  readonly principalId: string;
  /** Counts and removes nothing. */
  readonly dryRun?: boolean;
}

export interface LogHealth {
  /** Entries whose append failed and is being retried: 0 while the log is healthy. */
  readonly pending: number;
  /** Entries given up since the log was opened. */
  readonly lost: number;
}

/**
 * The append-only log of calls and of operator actions. An implementation
 * - has the entry on stable storage when `append` resolves, and keeps it through a crash of the process;
 * - assigns sequence numbers that grow in the order in which entries become visible, and never assigns one twice;
 * - rejects a second entry of one kind for one call id with `DuplicateEntryError`, and leaves the first as it is;
 * - rejects `append` while the store is not available, and retries the entry until it is written or the log is closed.
 *   It does not retry an intent: the call that waits for it is refused;
 * - returns what it was given, field by field, whatever characters it holds;
 * - lists newest first by time, then by sequence number, without gaps or repeats across pages;
 * - finds the entries of one tool, principal, status or span of time without reading the others;
 * - prunes nothing that belongs to an unresolved call, and appends an operator entry before it removes anything.
 */
export interface ReceiptLog {
  /** Resolves to the sequence number of the entry. */
  append(entry: LogEntry): Promise<number>;
  /** The receipt of a call. */
  get(callId: string): Promise<Receipt | undefined>;
  /** Every entry of a call, in the order of the log. */
  entriesOf(callId: string): Promise<readonly RecordedEntry[]>;
  list(query: LogQuery): Promise<readonly RecordedEntry[]>;
  /** Entries with a greater sequence number, in the order of the log. */
  read(after: number, limit: number): Promise<readonly RecordedEntry[]>;
  /** The greatest sequence number; 0 while the log is empty. */
  lastSeq(): Promise<number>;
  /** Resolves to the number of entries that were removed, or would be. */
  prune(request: PruneRequest): Promise<number>;
  readonly health: LogHealth;
}

/** The log already has an entry of this kind for this call. */
export class DuplicateEntryError extends Error {
  override readonly name = 'DuplicateEntryError';

  constructor(entry: LogEntry) {
    const callId = entry.kind === 'call' ? entry.receipt.callId : 'callId' in entry ? entry.callId : '';
    super(`The log already has an entry of kind "${entry.kind}" for call ${callId}.`);
  }
}
