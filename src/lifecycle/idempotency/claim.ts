import type { UpstreamAnswer } from '../../contract/ports/upstream.ts';
import type { RejectedResult, StoredResult } from './stored-result.ts';

/** The right of one call to have its effect, and its duty to record how it ended. */
export interface Claim {
  /**
   * To be awaited right before every send. Makes the intent durable before the first one: from then on the outcome may be
   * unknown. Rejects where the key was given to another call.
   */
  recordIntent(): Promise<void>;
  /** Registers a sent attempt, whose late answer may still resolve an unknown outcome. */
  track(answer: Promise<UpstreamAnswer>): void;
  /** Until this signal fires an answer is useful, even after the caller's deadline. */
  abandonSignal(signal: AbortSignal): AbortSignal;
  /** Stores the result under the key. The caller is answered after that write. */
  complete(stored: StoredResult | RejectedResult): void;
  /** The call failed: frees the key where nothing happened, and marks the outcome unknown otherwise. */
  abandon(error: unknown): Promise<void>;
}

/** For a read without a key: nothing to claim, nothing to record. */
export const NO_CLAIM: Claim = {
  recordIntent: async () => {},
  track: () => {},
  abandonSignal: (signal) => signal,
  complete: () => {},
  abandon: async () => {},
};
