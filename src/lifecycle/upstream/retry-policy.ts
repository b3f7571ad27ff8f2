import type { ErrorCode } from '../../contract/errors/catalogue.ts';

export interface RetryPolicy {
  /** Includes the first attempt; 1 disables retries. */
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly codes: readonly ErrorCode[];
}
