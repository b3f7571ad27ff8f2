import type { ErrorCode } from '../../contract/errors/catalogue.ts';

export interface RetryPolicy {
  /** 1: never again. */
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly codes: readonly ErrorCode[];
}
