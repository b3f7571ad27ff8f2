import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCode, Fault } from '../contract/errors.ts';
import type { AuthorizedCall } from './authorize.ts';

export interface RetryPolicy {
  /** 1: never again. */
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly codes: readonly ErrorCode[];
}

export const NO_RETRY: RetryPolicy = { maxAttempts: 1, baseDelayMs: 200, maxDelayMs: 5_000, codes: [] };

/**
 * Tries again what failed in passing, where that is safe: the failed attempt had no effect for certain, or the tool may be
 * called twice without harm. Full jitter, so that callers who failed together do not come back together.
 */
export async function repeated<Result>(
  policy: RetryPolicy,
  call: AuthorizedCall,
  attempt: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { journey, deadline } = call;
  for (let tries = 1; ; tries++) {
    journey.attempts = tries;
    try {
      return await attempt(signal);
    } catch (thrown) {
      if (!(thrown instanceof Fault) || !mayRepeat(policy, call, thrown)) throw thrown;
      if (tries >= policy.maxAttempts) throw tries > 1 ? exhausted(thrown, tries) : thrown;
      const delay = delayBefore(policy, tries, thrown);
      if (Date.now() + delay >= deadline) throw tries > 1 ? exhausted(thrown, tries) : thrown;
      await pause(delay, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
  }
}

/** `retryable` is the only signal that the loop obeys, and it does not outweigh an effect that may have happened. */
export function mayRepeat({ codes }: RetryPolicy, call: AuthorizedCall, fault: Fault): boolean {
  if (!fault.retryable || !codes.includes(fault.code)) return false;
  const { contract, journey } = call;
  const isKeyed = contract.keyArgument !== undefined && journey.arrival.idempotencyKey !== undefined;
  return fault.effect === 'nothing' || contract.mutation === 'read_only' || contract.repeatable || isKeyed;
}

export function delayBefore({ baseDelayMs, maxDelayMs }: RetryPolicy, tries: number, fault: Fault): number {
  const longest = Math.min(maxDelayMs, baseDelayMs * 2 ** (tries - 1));
  return Math.max(Math.random() * longest, Math.min(fault.retryAfterMs ?? 0, maxDelayMs));
}

function exhausted(last: Fault, attempts: number): Fault {
  return new Fault('RETRY_EXHAUSTED', `Tried ${attempts} times; the last answer was ${last.code}.`, {
    details: { attempts, last: last.code },
    cause: last,
    effect: last.effect === 'nothing' ? 'nothing' : undefined,
  });
}
