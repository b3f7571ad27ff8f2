import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../contract/errors/fault.ts';
import { isRepeatable, isTrustedReadOnly } from '../../contract/tool/tool.ts';
import type { AuthorizedCall } from '../states.ts';
import type { RetryPolicy } from './retry-policy.ts';

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly call: AuthorizedCall;
  readonly signal: AbortSignal;
}

/**
 * Retries a transient failure where that is safe: the failed attempt certainly had no effect, or the tool may be called
 * twice without harm. Full jitter keeps callers that failed together from retrying together.
 */
export async function withRetry<Result>(
  { policy, call, signal }: RetryOptions,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Fault) || !isSafeToRetry(policy, call, error)) throw error;
      const delay = retryDelay(policy, tries, error);
      const isTooLong = delay > policy.maxDelayMs || Date.now() + delay >= call.deadline;
      if (tries >= policy.maxAttempts || isTooLong) throw tries > 1 ? exhausted(error, tries) : error;
      await pause(delay, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
      call.run.reportRetry(tries + 1, error);
    }
  }
}

/** A fault must be `retryable`, and that is not enough where the attempt may have had an effect. */
export function isSafeToRetry({ codes }: RetryPolicy, call: AuthorizedCall, fault: Fault): boolean {
  if (!fault.retryable || !codes.includes(fault.code)) return false;
  const { contract, effectKey } = call;
  if (fault.effect === 'none' || isTrustedReadOnly(contract)) return true;
  // The server states that it did not process the call, and the tool that it would only read: both must be wrong for harm.
  if (fault.code === 'RATE_LIMITED' && contract.mutation === 'read_only') return true;
  return isRepeatable(contract, { hasKey: effectKey !== undefined });
}

/** Jitter is added to the delay that the upstream requested, so that callers which it refused together retry apart. */
export function retryDelay({ baseDelayMs, maxDelayMs }: RetryPolicy, tries: number, fault: Fault): number {
  const longest = Math.min(maxDelayMs, baseDelayMs * 2 ** (tries - 1));
  return (fault.retryAfterMs ?? 0) + Math.random() * longest;
}

function exhausted(last: Fault, attempts: number): Fault {
  const { code, retryAfterMs } = last;
  return new Fault('RETRY_EXHAUSTED', `The call failed ${attempts} times; the last error was ${code}.`, {
    details: { attempts, last: code },
    cause: last,
    retryAfterMs,
  });
}
