import type { Receipt } from '../call/receipt.ts';

/** One call's hold on a key, before anything has happened. */
export interface Claim {
  /** Whose key, for which tool: equal for the calls that must have one effect between them. */
  readonly scope: string;
  readonly callId: string;
  readonly inputHash: string;
  /** How long the result is kept for whoever asks again. */
  readonly windowMs: number;
  /** The effect may happen as soon as the claim stands: where nothing comes in between. */
  readonly hasIntent?: boolean;
  /** What is to be said of the call should nobody ever learn how it ended. */
  readonly crashReceipt: Receipt;
}

export type ClaimResult =
  /** The key is this call's. */
  | { readonly state: 'acquired' }
  /** A call that is alive has it. */
  | { readonly state: 'running'; readonly callId: string; readonly inputHash: string }
  | { readonly state: 'done'; readonly callId: string; readonly inputHash: string; readonly result: string }
  /** It may have had its effect and may not: its process died in between, or its upstream never answered. */
  | { readonly state: 'unknown'; readonly callId: string; readonly inputHash: string };

export interface UnresolvedCall {
  readonly scope: string;
  readonly receipt: Receipt;
}

/** What an operator found out about a call that nobody knew the end of. */
export type Resolution = 'executed' | 'not_executed';

/**
 * The keys under which effects happen once. An implementation
 * - gives a key to one call at a time, whatever number of processes ask at the same moment;
 * - has `claim`, `intend`, `seal` and `doubt` on stable storage when they resolve;
 * - lets a process hold its keys while it lives, without being asked, and knows within its lease that it died;
 * - hands the key of a dead process on where nothing was intended under it, and otherwise answers `unknown`;
 * - answers `intend` with false where the key has been handed on in the meantime: the call must not go on then;
 * - takes a `seal` from the call that holds the key, even after it was given up for dead: it knows how it ended. A later
 *   seal of the same call replaces the earlier one;
 * - goes on trying to write a `seal`, `release` or `doubt` that it had to reject, while the process lives: no key stays
 *   taken by a call that is over;
 * - keeps what is done for its window, by its own clock, and what is unknown until somebody settles it.
 */
export interface IdempotencyStore {
  claim(claim: Claim): Promise<ClaimResult>;
  /** From here on the effect may happen. */
  recordIntent(scope: string, callId: string): Promise<boolean>;
  complete(scope: string, callId: string, result: string): Promise<void>;
  /** Nothing happened, or nobody else can ask for it: the key is free again, also after its holder was given up for dead. */
  release(scope: string, callId: string): Promise<void>;
  /** Nobody can know whether it happened. The caller has been told. */
  markUnknown(scope: string, callId: string): Promise<void>;
  /** Receipts of calls that died between intent and result and that no receipt tells of yet. */
  findLost(): Promise<readonly Receipt[]>;
  /** The receipt of a lost call has been written. */
  markReported(callId: string): Promise<void>;
  listUnresolved(limit: number): Promise<readonly UnresolvedCall[]>;
  /** False where no such call waits to be settled. */
  resolve(callId: string, verdict: Resolution, result: string): Promise<boolean>;
}
