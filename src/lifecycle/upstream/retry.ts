import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../contract/errors/fault.ts';
import { isTrustedReadOnly } from '../../contract/tool/tool.ts';
import type { AuthorizedCall } from '../states.ts';
import type { RetryPolicy } from './retry-policy.ts';

/**
 * Tries again what failed in passing, where that is safe: the failed attempt had no effect for certain, or the tool may be
 * called twice without harm. Full jitter, so that callers who failed together do not come back together.
 */
export async function withRetry<Result>(
  policy: RetryPolicy,
  call: AuthorizedCall,
  attempt: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(signal);
    } catch (thrown) {
      if (!(thrown instanceof Fault) || !isSafeToRetry(policy, call, thrown)) throw thrown;
      const delay = retryDelay(policy, tries, thrown);
      const isTooLong = delay > policy.maxDelayMs || Date.now() + delay >= call.deadline;
      if (tries >= policy.maxAttempts || isTooLong) throw tries > 1 ? exhausted(thrown, tries) : thrown;
      await pause(delay, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
      call.record.reportRetry(tries + 1, thrown);
    }
  }
}

/** `retryable` is the only signal that the loop obeys, and it does not outweigh an effect that may have happened. */
export function isSafeToRetry({ codes }: RetryPolicy, call: AuthorizedCall, fault: Fault): boolean {
  if (!fault.retryable || !codes.includes(fault.code)) return false;
  const { contract, record } = call;
  const isKeyed =
    contract.idempotencyKeyArgument !== undefined && record.request.idempotencyKey !== undefined;
  return fault.effect === 'none' || isTrustedReadOnly(contract) || contract.idempotent || isKeyed;
}

/** What the upstream asked for is added to, not drawn from: those whom it sent away together do not come back together. */
export function retryDelay({ baseDelayMs, maxDelayMs }: RetryPolicy, tries: number, fault: Fault): number {
  const longest = Math.min(maxDelayMs, baseDelayMs * 2 ** (tries - 1));
  return (fault.retryAfterMs ?? 0) + Math.random() * longest;
}

function exhausted(last: Fault, attempts: number): Fault {
  const { code, retryAfterMs } = last;
  return new Fault('RETRY_EXHAUSTED', `Tried ${attempts} times; the last answer was ${code}.`, {
    details: { attempts, last: code },
    cause: last,
    retryAfterMs,
  });
}
