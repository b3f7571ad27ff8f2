import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  contractOf,
  ECHO,
  ECHO_RESULT,
  NO_RETRY,
  type RecordingDeps,
  type RecordingDepsOptions,
  recordingDeps,
  send,
} from '../../../test/recording-deps.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { describeError, ERROR_CODES, type ErrorCode } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { TIMEOUT_MS } from '../../contract/tool/timeout-class.ts';
import { MUTATION_CLASSES, type MutationClass } from '../../contract/tool/tool.ts';
import type { AuthorizedCall } from '../states.ts';
import { isSafeToRetry, retryDelay, withRetry } from './retry.ts';
import type { RetryPolicy } from './retry-policy.ts';

vi.mock('node:timers/promises', () => import('../../../test/pause.ts'));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const RETRY: RetryPolicy = {
  maxAttempts: 4,
  baseDelayMs: 100,
  maxDelayMs: 1_000,
  codes: ['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RATE_LIMITED'],
};
const UNAVAILABLE = new Fault('UPSTREAM_UNAVAILABLE', 'away');
const NOT_SENT = new Fault('UPSTREAM_UNAVAILABLE', 'away', { effect: 'none' });

interface Attempt {
  readonly ms: number;
  /** Absent where the attempt succeeds. */
  readonly fault?: Fault | undefined;
}

interface PlanResult {
  readonly outcome: Outcome;
  readonly receipt: RecordingDeps['receipts'][number];
  /** When each attempt started, in milliseconds after the start of the call. */
  readonly startedAt: readonly number[];
  readonly endedAt: number;
}

interface Plan extends Pick<RecordingDepsOptions, 'retry'> {
  readonly mutation?: MutationClass;
  readonly idempotent?: boolean;
  readonly attempts: readonly Attempt[];
  readonly budgetMs?: number | undefined;
  readonly disconnectsAt?: number;
  readonly jitter?: readonly number[];
}

/** Runs one call to an upstream that answers each attempt as planned, with fake timers. */
async function runPlan(plan: Plan): Promise<PlanResult> {
  const {
    mutation = 'read_only',
    idempotent = false,
    attempts,
    budgetMs,
    disconnectsAt,
    jitter = [0.5],
  } = plan;
  const start = Date.now();
  const startedAt: number[] = [];
  let drawn = 0;
  vi.spyOn(Math, 'random').mockImplementation(() => jitter[drawn++ % jitter.length]!);
  const disconnect = new AbortController();
  if (disconnectsAt !== undefined) setTimeout(() => disconnect.abort(), disconnectsAt);
  const { deps, receipts } = recordingDeps({
    tools: [{ ...ECHO, declared: { mutation, idempotent } }],
    retry: plan.retry ?? RETRY,
    answer: async (): Promise<ToolResult> => {
      const { ms, fault } = attempts[startedAt.length] ?? { ms: 0 };
      startedAt.push(Date.now() - start);
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      if (fault) throw fault;
      return ECHO_RESULT;
    },
  });
  let endedAt = 0;
  const call = send(deps, {
    signal: disconnect.signal,
    ...(budgetMs !== undefined && { deadline: start + budgetMs }),
  }).finally(() => {
    endedAt = Date.now() - start;
  });
  await vi.runAllTimersAsync();
  const outcome = await call;
  expect(receipts).toHaveLength(1);
  return { outcome, receipt: receipts[0]!, startedAt, endedAt };
}

function failing(...faults: readonly Fault[]): Attempt[] {
  return faults.map((fault) => ({ ms: 0, fault }));
}

function codeOf(outcome: Outcome): string {
  return outcome.status === 'failed' ? outcome.error.code : outcome.status;
}

const faults = fc
  .record({
    code: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...RETRY.codes) },
      fc.constantFrom<ErrorCode>(...ERROR_CODES),
    ),
    effect: fc.constantFrom('none' as const, undefined),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined, freq: 3 }),
  })
  .map(
    ({ code, effect, retryAfterMs }) =>
      new Fault(code, 'no', {
        effect,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      }),
  );
const policies: fc.Arbitrary<RetryPolicy> = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 5 }),
  baseDelayMs: fc.integer({ min: 1, max: 500 }),
  maxDelayMs: fc.integer({ min: 1, max: 5_000 }),
  codes: fc.oneof(fc.constant(RETRY.codes), fc.subarray([...ERROR_CODES])),
});
const jitters = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 1,
  maxLength: 5,
});
const tools = { mutation: fc.constantFrom(...MUTATION_CLASSES), idempotent: fc.boolean() };

/** States the rule again, independent of the code: retryable, configured and without harm. */
function isExpectedToRetry(
  policy: RetryPolicy,
  { mutation, idempotent }: { mutation: MutationClass; idempotent: boolean },
  { code, variant, effect }: Fault,
): boolean {
  if (!describeError(code, variant).retryable || !policy.codes.includes(code)) return false;
  return effect === 'none' || mutation === 'read_only' || idempotent;
}

describe('withRetry for any upstream, tool and policy', () => {
  const plans = fc.record({
    ...tools,
    retry: policies,
    jitter: jitters,
    attempts: fc.array(
      fc.record({ ms: fc.integer({ min: 0, max: 2_000 }), fault: fc.option(faults, { nil: undefined }) }),
      { minLength: 1, maxLength: 7 },
    ),
    budgetMs: fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined }),
  });

  it('retries only where that is safe, up to the maximum of attempts and before the deadline', async () => {
    let retries = 0;
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { retry, attempts, budgetMs = TIMEOUT_MS.long_running } = plan;
        const { outcome, receipt, startedAt, endedAt } = await runPlan(plan);
        retries += Math.max(startedAt.length - 1, 0);
        expect(startedAt.length).toBeLessThanOrEqual(retry.maxAttempts);
        expect(receipt.attempts).toBe(startedAt.length);
        expect(endedAt).toBeLessThanOrEqual(budgetMs);
        for (const [n, at] of startedAt.entries()) {
          expect(at).toBeLessThan(budgetMs);
          if (n === 0) continue;
          const { fault, ms } = attempts[n - 1]!;
          expect(fault && isExpectedToRetry(retry, plan, fault)).toBe(true);
          // A timer waits for at least one millisecond.
          const waited = at - startedAt[n - 1]! - ms;
          const longest = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** (n - 1));
          const requested = fault!.retryAfterMs ?? 0;
          expect(waited).toBeGreaterThanOrEqual(requested);
          expect(waited).toBeLessThanOrEqual(Math.max(Math.min(requested + longest, retry.maxDelayMs), 1));
        }
        if (
          codeOf(outcome) === 'RETRY_EXHAUSTED' &&
          attempts[startedAt.length - 1]?.fault?.code !== 'RETRY_EXHAUSTED'
        )
          expect(startedAt.length).toBeGreaterThan(1);
      }),
      { numRuns: 300 },
    );
    // Otherwise a gateway that never retries would pass.
    expect(retries).toBeGreaterThan(10);
  });

  it('retries until an answer, a final error or the maximum of attempts when there is enough time', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async ({ budgetMs: _, ...plan }) => {
        const { retry, attempts, jitter } = plan;
        const { outcome, startedAt } = await runPlan(plan);
        const isTooLong = ({ retryAfterMs = 0 }: Fault, n: number): boolean => {
          const longest = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** n);
          return retryAfterMs + jitter[n % jitter.length]! * longest > retry.maxDelayMs;
        };
        const last = attempts.findIndex(
          ({ fault }, n) => !fault || !isExpectedToRetry(retry, plan, fault) || isTooLong(fault, n),
        );
        const tries = Math.min(last < 0 ? attempts.length + 1 : last + 1, retry.maxAttempts);
        expect(startedAt).toHaveLength(tries);
        const fault = attempts[tries - 1]?.fault;
        if (!fault) expect(codeOf(outcome)).toBe('ok');
        else if (tries > 1 && isExpectedToRetry(retry, plan, fault)) {
          expect(outcome).toMatchObject({
            error: {
              code: 'RETRY_EXHAUSTED',
              retryable: false,
              details: { attempts: tries, last: fault.code },
            },
          });
        } else expect(codeOf(outcome)).toBe(fault.code);
        if (outcome.status === 'failed') expect(outcome.error.retryAfterMs).toBe(fault?.retryAfterMs);
      }),
      { numRuns: 300 },
    );
  });
});

describe('isSafeToRetry', () => {
  const POLICY = { ...RETRY, codes: [...ERROR_CODES] };
  const callOf = (mutation: MutationClass, idempotent: boolean): AuthorizedCall =>
    ({ contract: contractOf({ declared: { mutation, idempotent } }) }) as AuthorizedCall;

  it.each(MUTATION_CLASSES)(
    'depends on code, effect and declared idempotency for a tool that is %s',
    (mutation) => {
      for (const idempotent of [true, false]) {
        const call = callOf(mutation, idempotent);
        for (const code of ERROR_CODES) {
          const isHarmless = mutation === 'read_only' || idempotent;
          const { retryable } = describeError(code);
          expect(isSafeToRetry(POLICY, call, new Fault(code, 'no'))).toBe(retryable && isHarmless);
          expect(isSafeToRetry(POLICY, call, new Fault(code, 'no', { effect: 'none' }))).toBe(retryable);
          const withoutCode = { ...POLICY, codes: ERROR_CODES.filter((other) => other !== code) };
          expect(isSafeToRetry(withoutCode, call, new Fault(code, 'no', { effect: 'none' }))).toBe(false);
        }
      }
    },
  );

  it('refuses a cancelled call and a conflict about the key', () => {
    const call = callOf('read_only', true);
    const cancelled = new Fault('CANCELLED', 'gone');
    expect(isSafeToRetry(POLICY, call, cancelled)).toBe(false);
    for (const variant of ['other_arguments', 'unknown'] as const) {
      expect(isSafeToRetry(POLICY, call, new Fault('CONFLICT', 'no', { variant, effect: 'none' }))).toBe(
        false,
      );
    }
  });

  it('does not trust the idempotent hint of an upstream', async () => {
    const { deps, calls } = recordingDeps({
      tools: [{ ...ECHO, hints: { idempotent: true } }],
      retry: RETRY,
      answer: async () => {
        throw UNAVAILABLE;
      },
    });
    const call = send(deps);
    await vi.runAllTimersAsync();
    expect(codeOf(await call)).toBe('UPSTREAM_UNAVAILABLE');
    expect(calls).toHaveLength(1);
  });
});

describe('retryDelay', () => {
  it('is full jitter up to the capped exponential bound, added to the delay that the upstream requested', () => {
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
        (policy, tries, drawn, retryAfterMs) => {
          vi.spyOn(Math, 'random').mockReturnValue(drawn);
          const bound = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (tries - 1));
          const plain = retryDelay(policy, tries, UNAVAILABLE);
          expect(plain).toBeGreaterThanOrEqual(0);
          expect(plain).toBeLessThanOrEqual(bound);
          expect(plain).toBeCloseTo(drawn * bound);
          if (retryAfterMs === undefined) return;
          const requested = retryDelay(policy, tries, new Fault('RATE_LIMITED', 'wait', { retryAfterMs }));
          expect(requested).toBeCloseTo(retryAfterMs + drawn * bound);
        },
      ),
    );
  });

  it('uses its whole range, so that callers which failed together retry apart', () => {
    const waits = Array.from({ length: 2_000 }, () => retryDelay(RETRY, 2, UNAVAILABLE));
    expect(Math.min(...waits)).toBeLessThan(20);
    expect(Math.max(...waits)).toBeGreaterThan(180);
    const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
    expect(mean).toBeGreaterThan(80);
    expect(mean).toBeLessThan(120);
  });

  it('doubles up to the maximum', async () => {
    const { startedAt } = await runPlan({
      retry: { ...RETRY, maxAttempts: 7, maxDelayMs: 800 },
      attempts: failing(UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE),
      jitter: [0.999_999],
    });
    const waits = startedAt.slice(1).map((at, n) => Math.round((at - startedAt[n]!) / 100));
    expect(waits).toEqual([1, 2, 4, 8, 8, 8]);
  });
});

describe('withRetry', () => {
  it('§4.5: does not retry by default', async () => {
    expect(NO_RETRY.maxAttempts).toBe(1);
    const { outcome, receipt, startedAt } = await runPlan({ retry: NO_RETRY, attempts: failing(NOT_SENT) });
    expect(outcome).toMatchObject({
      error: { code: 'UPSTREAM_UNAVAILABLE', message: 'away', retryable: true },
    });
    expect(startedAt).toEqual([0]);
    expect(receipt.attempts).toBe(1);
  });

  it('§4.5: retries transient upstream failures, and the receipt counts the attempts', async () => {
    const { outcome, receipt, startedAt } = await runPlan({ attempts: failing(UNAVAILABLE, UNAVAILABLE) });
    expect(outcome).toMatchObject({ status: 'ok', provenance: { source: 'compute' } });
    expect(startedAt).toHaveLength(3);
    expect(receipt).toMatchObject({ status: 'ok', attempts: 3, source: 'compute' });
  });

  it.each(['read_only', 'write_irreversible'] as const)(
    '§4.5: does not retry an error that a %s tool reports',
    async (mutation) => {
      const { deps, calls, receipts } = recordingDeps({
        tools: [{ ...ECHO, declared: { mutation, idempotent: true } }],
        retry: { ...RETRY, codes: [...ERROR_CODES] },
        answer: async () => ({ content: [], isError: true }),
      });
      const call = send(deps);
      await vi.runAllTimersAsync();
      expect(await call).toMatchObject({ error: { code: 'UPSTREAM_FAILURE', variant: 'tool' } });
      expect(calls).toHaveLength(1);
      expect(receipts[0]!.attempts).toBe(1);
    },
  );

  it('does not retry an unexpected error', async () => {
    const { deps, calls } = recordingDeps({
      tools: [{ ...ECHO, declared: { mutation: 'read_only' } }],
      retry: { ...RETRY, codes: [...ERROR_CODES] },
      answer: async () => {
        throw new Error('x');
      },
    });
    const call = send(deps);
    await vi.runAllTimersAsync();
    expect(codeOf(await call)).toBe('INTERNAL_TOOL_ERROR');
    expect(calls).toHaveLength(1);
  });

  it.each(['write_reversible', 'write_irreversible'] as const)(
    'retries a %s tool only while no attempt can have had an effect',
    async (mutation) => {
      const { outcome, startedAt } = await runPlan({
        mutation,
        attempts: failing(NOT_SENT, NOT_SENT, UNAVAILABLE),
      });
      expect(startedAt).toHaveLength(3);
      expect(codeOf(outcome)).toBe('UPSTREAM_UNAVAILABLE');
    },
  );

  it('reports RETRY_EXHAUSTED only after more than one attempt', async () => {
    const once = await runPlan({ retry: { ...RETRY, maxAttempts: 1 }, attempts: failing(UNAVAILABLE) });
    expect(codeOf(once.outcome)).toBe('UPSTREAM_UNAVAILABLE');
    const twice = await runPlan({
      retry: { ...RETRY, maxAttempts: 2 },
      attempts: failing(UNAVAILABLE, UNAVAILABLE),
    });
    expect(twice.outcome).toMatchObject({
      error: { code: 'RETRY_EXHAUSTED', details: { attempts: 2, last: 'UPSTREAM_UNAVAILABLE' } },
    });
    expect(twice.receipt).toMatchObject({ errorCode: 'RETRY_EXHAUSTED', attempts: 2 });
  });

  it('fails at once when the delay would reach the deadline', async () => {
    const slow = new Fault('RATE_LIMITED', 'wait', { retryAfterMs: 600 });
    const first = await runPlan({ attempts: failing(slow), budgetMs: 500 });
    expect(first).toMatchObject({ startedAt: [0], endedAt: 0 });
    expect(codeOf(first.outcome)).toBe('RATE_LIMITED');
    const second = await runPlan({ attempts: failing(UNAVAILABLE, slow), budgetMs: 500, jitter: [0] });
    expect(second.startedAt).toHaveLength(2);
    expect(second.endedAt).toBeLessThan(10);
    expect(codeOf(second.outcome)).toBe('RETRY_EXHAUSTED');
  });

  it('waits at least as long as the upstream requested, or does not retry', async () => {
    const slow = new Fault('RATE_LIMITED', 'wait', { retryAfterMs: 800 });
    const waited = await runPlan({ attempts: failing(slow, slow), jitter: [0.5] });
    expect(waited.startedAt).toEqual([0, 850, 1_750]);
    const tooSlow = new Fault('RATE_LIMITED', 'wait', { retryAfterMs: 2_000 });
    const first = await runPlan({ attempts: failing(tooSlow) });
    expect(first.startedAt).toEqual([0]);
    expect(first.outcome).toMatchObject({ error: { code: 'RATE_LIMITED', retryAfterMs: 2_000 } });
    const later = await runPlan({ attempts: failing(UNAVAILABLE, tooSlow) });
    expect(later.startedAt).toHaveLength(2);
    expect(later.outcome).toMatchObject({ error: { code: 'RETRY_EXHAUSTED', retryAfterMs: 2_000 } });
  });

  it('ends at the deadline during an attempt, without a further one', async () => {
    const attempts = [
      { ms: 300, fault: UNAVAILABLE },
      { ms: 10_000, fault: UNAVAILABLE },
    ];
    const { outcome, startedAt, endedAt } = await runPlan({ attempts, budgetMs: 1_000 });
    expect(codeOf(outcome)).toBe('DEADLINE_EXCEEDED');
    expect(endedAt).toBe(1_000);
    expect(startedAt).toHaveLength(2);
  });

  it('ends when the caller disconnects during the delay, without a further attempt', async () => {
    const { outcome, startedAt, endedAt } = await runPlan({
      retry: { ...RETRY, baseDelayMs: 1_000 },
      attempts: failing(UNAVAILABLE, UNAVAILABLE),
      disconnectsAt: 200,
    });
    expect(outcome).toMatchObject({ error: { code: 'CANCELLED' } });
    expect(startedAt).toEqual([0]);
    expect(endedAt).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends the delay at once when its signal fires, without a further attempt', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const disconnect = new AbortController();
    const reason = new Fault('CANCELLED', 'gone');
    const attempt = vi.fn(() => Promise.reject(UNAVAILABLE));
    const call = {
      contract: contractOf({ declared: { idempotent: true } }),
      record: {},
      deadline: Infinity,
    };
    let ended: unknown;
    void withRetry(
      { policy: RETRY, call: call as unknown as AuthorizedCall, signal: disconnect.signal },
      attempt,
    ).catch((thrown) => {
      ended = thrown;
    });
    await vi.advanceTimersByTimeAsync(20);
    expect(ended).toBeUndefined();
    disconnect.abort(reason);
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toBe(reason);
    expect(attempt).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });
});
