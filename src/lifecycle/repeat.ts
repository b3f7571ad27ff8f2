import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCode, Fault } from '../contract/errors.ts';
import { surelyReads } from '../contract/tool.ts';
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
  const { deadline } = call;
  let effect: Fault['effect'] = 'nothing';
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(signal);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      if (thrown.effect !== 'nothing') effect = 'unknown';
      if (!mayRepeat(policy, call, thrown)) throw withEffect(thrown, effect);
      const delay = delayBefore(policy, tries, thrown);
      if (tries >= policy.maxAttempts || Date.now() + delay >= deadline)
        throw tries > 1 ? exhausted(thrown, tries, effect) : thrown;
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
  return fault.effect === 'nothing' || surelyReads(contract) || contract.repeatable || isKeyed;
}

export function delayBefore({ baseDelayMs, maxDelayMs }: RetryPolicy, tries: number, fault: Fault): number {
  const longest = Math.min(maxDelayMs, baseDelayMs * 2 ** (tries - 1));
  return Math.max(Math.random() * longest, Math.min(fault.retryAfterMs ?? 0, maxDelayMs));
}

/** Of several attempts: nothing happened only where nothing happened in any of them. */
function withEffect(fault: Fault, effect: Fault['effect']): Fault {
  if (fault.effect === effect) return fault;
  const { code, message, details, retryAfterMs, cause } = fault;
  return new Fault(code, message, {
    cause,
    ...(fault.variant !== undefined && { variant: fault.variant as never }),
    ...(details && { details }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function exhausted(last: Fault, attempts: number, effect: Fault['effect']): Fault {
  return new Fault('RETRY_EXHAUSTED', `Tried ${attempts} times; the last answer was ${last.code}.`, {
    details: { attempts, last: last.code },
    cause: last,
    effect: effect === 'nothing' ? 'nothing' : undefined,
  });
}
