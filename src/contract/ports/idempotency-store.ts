import type { Receipt } from '../call/receipt.ts';

/** A call's request for a key, before the call has any effect. */
export interface ClaimRequest {
  /** The key with its owner and its tool: equal for calls that must have one effect between them. */
  readonly scope: string;
  readonly callId: string;
  readonly inputHash: string;
  /** How long the result is stored for calls with the same key. */
  readonly windowMs: number;
  /** The claim is also the intent: the effect may happen as soon as the claim is acquired. */
  readonly hasIntent?: boolean;
  /** The intent must survive a loss of power too, because another call can use the key. */
  readonly isSynced?: boolean;
  /** The receipt of the call in case its process ends before the outcome is known. */
  readonly crashReceipt: Receipt;
}

export type ClaimResult =
  /** The call holds the key. */
  | { readonly state: 'acquired' }
  /** A call of a live process holds the key. */
  | { readonly state: 'running'; readonly callId: string; readonly inputHash: string }
  | { readonly state: 'done'; readonly callId: string; readonly inputHash: string; readonly result: string }
  /** The effect may have happened: the process ended in between, or the upstream did not answer. */
  | { readonly state: 'unknown'; readonly callId: string; readonly inputHash: string };

export interface UnresolvedCall {
  readonly scope: string;
  readonly receipt: Receipt;
  /** A live process still waits for the answer of the upstream, which would resolve the call. */
  readonly isAwaited: boolean;
}

/** An operator's statement about a call whose outcome is unknown. */
export type Resolution = 'executed' | 'not_executed';

/**
 * The keys that make effects happen once. An implementation
 * - gives a key to one call at a time, however many processes claim it at once;
 * - has `claim`, `recordIntent`, `complete` and `markUnknown` on stable storage when they resolve;
 * - has a synced intent, and what `recordIntent` records, on disk when they resolve, unless it is configured otherwise;
 * - keeps the keys of a live process by a heartbeat of its own, and detects within the lease that a process has died,
 *   whatever happens to the wall clock of a gateway;
 * - gives the key of a dead process to the next claim where no intent was recorded, and otherwise returns `unknown`;
 * - resolves `recordIntent` to false where the key was given to another call in the meantime: the call must not continue;
 * - accepts `complete` from the call that holds the key, even after its process was taken for dead. A later result of the
 *   same call replaces the earlier one;
 * - retries a `complete`, `release` or `markUnknown` that it had to reject while the process lives: no key stays held by a
 *   call that has ended;
 * - stores results for their window, by its own clock, and unknown calls until an operator resolves them.
 */
export interface IdempotencyStore {
  claim(claim: ClaimRequest): Promise<ClaimResult>;
  /** The effect may happen after this resolves to true. */
  recordIntent(scope: string, callId: string): Promise<boolean>;
  /**
   * Whether the call still holds the key for which it recorded its intent. While the lease of this process certainly lasts,
   * it resolves to true without the store; otherwise it renews the lease and asks. To be awaited right before every send.
   */
  confirm(scope: string, callId: string): Promise<boolean>;
  complete(scope: string, callId: string, result: string): Promise<void>;
  /** Frees the key, also after its process was taken for dead: no effect happened, or no other call can use the key. */
  release(scope: string, callId: string): Promise<void>;
  /** Records that the outcome is unknown, where the caller has received that answer. */
  markUnknown(scope: string, callId: string): Promise<void>;
  /** Records that this process does not wait any more for the answer of a call whose outcome is unknown. */
  stopWaiting(scope: string, callId: string): Promise<void>;
  /** Crash receipts of calls that died between intent and result and are not in the log yet. */
  findLost(): Promise<readonly Receipt[]>;
  /** Records that the receipt of a lost call is in the log. */
  markReported(callId: string): Promise<void>;
  listUnresolved(limit: number): Promise<readonly UnresolvedCall[]>;
  /** Resolves to false where the call is not unresolved. */
  resolve(callId: string, verdict: Resolution, result: string): Promise<boolean>;
}
