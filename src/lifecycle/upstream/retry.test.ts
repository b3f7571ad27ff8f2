import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  contractOf,
  ECHO,
  NO_RETRY,
  type RecordingDeps,
  type RecordingDepsOptions,
  recordingDeps,
  SAID,
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

const AGAIN: RetryPolicy = {
  maxAttempts: 4,
  baseDelayMs: 100,
  maxDelayMs: 1_000,
  codes: ['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RATE_LIMITED'],
};
const AWAY = new Fault('UPSTREAM_UNAVAILABLE', 'away');
const NEVER_SEEN = new Fault('UPSTREAM_UNAVAILABLE', 'away', { effect: 'none' });

interface Attempt {
  readonly ms: number;
  /** Nothing: it answers. */
  readonly fault?: Fault | undefined;
}

interface Trace {
  readonly outcome: Outcome;
  readonly receipt: RecordingDeps['receipts'][number];
  /** When each attempt began, by the call's own clock. */
  readonly began: readonly number[];
  readonly endedAt: number;
}

interface Plan extends Pick<RecordingDepsOptions, 'retry'> {
  readonly mutation?: MutationClass;
  readonly idempotent?: boolean;
  readonly attempts: readonly Attempt[];
  readonly budgetMs?: number | undefined;
  readonly leavesAt?: number;
  readonly jitter?: readonly number[];
}

/** One call to an upstream that does with each attempt what the plan says, on a clock of its own. */
async function follow(plan: Plan): Promise<Trace> {
  const { mutation = 'read_only', idempotent = false, attempts, budgetMs, leavesAt, jitter = [0.5] } = plan;
  const start = Date.now();
  const began: number[] = [];
  let drawn = 0;
  vi.spyOn(Math, 'random').mockImplementation(() => jitter[drawn++ % jitter.length]!);
  const leaving = new AbortController();
  if (leavesAt !== undefined) setTimeout(() => leaving.abort(), leavesAt);
  const { deps, receipts } = recordingDeps({
    tools: [{ ...ECHO, declared: { mutation, idempotent } }],
    retry: plan.retry ?? AGAIN,
    answer: async (): Promise<ToolResult> => {
      const { ms, fault } = attempts[began.length] ?? { ms: 0 };
      began.push(Date.now() - start);
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      if (fault) throw fault;
      return SAID;
    },
  });
  let endedAt = 0;
  const call = send(deps, {
    signal: leaving.signal,
    ...(budgetMs !== undefined && { deadline: start + budgetMs }),
  }).finally(() => {
    endedAt = Date.now() - start;
  });
  await vi.runAllTimersAsync();
  const outcome = await call;
  expect(receipts).toHaveLength(1);
  return { outcome, receipt: receipts[0]!, began, endedAt };
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
      { weight: 3, arbitrary: fc.constantFrom(...AGAIN.codes) },
      fc.constantFrom<ErrorCode>(...ERROR_CODES),
    ),
    isCancelled: fc.boolean(),
    effect: fc.constantFrom('none' as const, undefined),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined, freq: 3 }),
  })
  .map(
    ({ code, isCancelled, effect, retryAfterMs }) =>
      new Fault(code, 'no', {
        effect,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(isCancelled && code === 'DEADLINE_EXCEEDED' && { variant: 'cancelled' as never }),
      }),
  );
const policies: fc.Arbitrary<RetryPolicy> = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 5 }),
  baseDelayMs: fc.integer({ min: 1, max: 500 }),
  maxDelayMs: fc.integer({ min: 1, max: 5_000 }),
  codes: fc.oneof(fc.constant(AGAIN.codes), fc.subarray([...ERROR_CODES])),
});
const jitters = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 1,
  maxLength: 5,
});
const tools = { mutation: fc.constantFrom(...MUTATION_CLASSES), idempotent: fc.boolean() };

/** Said anew and not asked of the code: retryable, wanted, and harmless. */
function mayComeAgain(
  policy: RetryPolicy,
  { mutation, idempotent }: { mutation: MutationClass; idempotent: boolean },
  { code, variant, effect }: Fault,
): boolean {
  if (!describeError(code, variant).retryable || !policy.codes.includes(code)) return false;
  return effect === 'none' || mutation === 'read_only' || idempotent;
}

describe('whatever the upstream answers, whatever the tool is and whatever the policy says', () => {
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

  it('a call is repeated only where that is safe, never too often and never past its deadline', async () => {
    let repeats = 0;
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { retry, attempts, budgetMs = TIMEOUT_MS.long_running } = plan;
        const { outcome, receipt, began, endedAt } = await follow(plan);
        repeats += Math.max(began.length - 1, 0);
        expect(began.length).toBeLessThanOrEqual(retry.maxAttempts);
        expect(receipt.attempts).toBe(began.length);
        expect(endedAt).toBeLessThanOrEqual(budgetMs);
        for (const [n, at] of began.entries()) {
          expect(at).toBeLessThan(budgetMs);
          if (n === 0) continue;
          const { fault, ms } = attempts[n - 1]!;
          expect(fault && mayComeAgain(retry, plan, fault)).toBe(true);
          // A clock that counts whole milliseconds sleeps for one at least.
          const waited = at - began[n - 1]! - ms;
          const longest = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** (n - 1));
          const asked = fault!.retryAfterMs ?? 0;
          expect(waited).toBeGreaterThanOrEqual(asked);
          expect(waited).toBeLessThanOrEqual(Math.max(Math.min(asked + longest, retry.maxDelayMs), 1));
        }
        if (
          codeOf(outcome) === 'RETRY_EXHAUSTED' &&
          attempts[began.length - 1]?.fault?.code !== 'RETRY_EXHAUSTED'
        )
          expect(began.length).toBeGreaterThan(1);
      }),
      { numRuns: 300 },
    );
    // Or the property would hold of a gateway that never tries again.
    expect(repeats).toBeGreaterThan(10);
  });

  it('a call with time enough is repeated until it is answered, refused for good, or tried as often as it may be', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async ({ budgetMs: _, ...plan }) => {
        const { retry, attempts, jitter } = plan;
        const { outcome, began } = await follow(plan);
        const isTooLong = ({ retryAfterMs = 0 }: Fault, n: number): boolean => {
          const longest = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** n);
          return retryAfterMs + jitter[n % jitter.length]! * longest > retry.maxDelayMs;
        };
        const last = attempts.findIndex(
          ({ fault }, n) => !fault || !mayComeAgain(retry, plan, fault) || isTooLong(fault, n),
        );
        const tries = Math.min(last < 0 ? attempts.length + 1 : last + 1, retry.maxAttempts);
        expect(began).toHaveLength(tries);
        const fault = attempts[tries - 1]?.fault;
        if (!fault) expect(codeOf(outcome)).toBe('ok');
        else if (tries > 1 && mayComeAgain(retry, plan, fault)) {
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

describe('what may be tried again', () => {
  const POLICY = { ...AGAIN, codes: [...ERROR_CODES] };
  const callOf = (mutation: MutationClass, idempotent: boolean): AuthorizedCall =>
    ({ contract: contractOf({ declared: { mutation, idempotent } }) }) as AuthorizedCall;

  it.each(MUTATION_CLASSES)(
    'of a tool that is %s, by code, effect and what its operator says',
    (mutation) => {
      for (const idempotent of [true, false]) {
        const call = callOf(mutation, idempotent);
        for (const code of ERROR_CODES) {
          const harmless = mutation === 'read_only' || idempotent;
          const { retryable } = describeError(code);
          expect(isSafeToRetry(POLICY, call, new Fault(code, 'no'))).toBe(retryable && harmless);
          expect(isSafeToRetry(POLICY, call, new Fault(code, 'no', { effect: 'none' }))).toBe(retryable);
          const unwanted = { ...POLICY, codes: ERROR_CODES.filter((other) => other !== code) };
          expect(isSafeToRetry(unwanted, call, new Fault(code, 'no', { effect: 'none' }))).toBe(false);
        }
      }
    },
  );

  it('never what the caller cancelled, and never a key in other hands', () => {
    const call = callOf('read_only', true);
    const cancelled = new Fault('DEADLINE_EXCEEDED', 'gone', { variant: 'cancelled' });
    expect(isSafeToRetry(POLICY, call, cancelled)).toBe(false);
    for (const variant of ['other_arguments', 'unknown'] as const) {
      expect(isSafeToRetry(POLICY, call, new Fault('CONFLICT', 'no', { variant, effect: 'none' }))).toBe(
        false,
      );
    }
  });

  it('an upstream’s hint that a tool is idempotent is not enough', async () => {
    const { deps, calls } = recordingDeps({
      tools: [{ ...ECHO, hints: { idempotent: true } }],
      retry: AGAIN,
      answer: async () => {
        throw AWAY;
      },
    });
    const call = send(deps);
    await vi.runAllTimersAsync();
    expect(codeOf(await call)).toBe('UPSTREAM_UNAVAILABLE');
    expect(calls).toHaveLength(1);
  });
});

describe('the wait before the next attempt', () => {
  it('is full jitter: from nothing to the exponential bound, capped, after what the upstream asked for', () => {
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
        (policy, tries, drawn, retryAfterMs) => {
          vi.spyOn(Math, 'random').mockReturnValue(drawn);
          const bound = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (tries - 1));
          const plain = retryDelay(policy, tries, AWAY);
          expect(plain).toBeGreaterThanOrEqual(0);
          expect(plain).toBeLessThanOrEqual(bound);
          expect(plain).toBeCloseTo(drawn * bound);
          if (retryAfterMs === undefined) return;
          const asked = retryDelay(policy, tries, new Fault('RATE_LIMITED', 'wait', { retryAfterMs }));
          expect(asked).toBeCloseTo(retryAfterMs + drawn * bound);
        },
      ),
    );
  });

  it('uses all of its range, so that callers who failed together do not come back together', () => {
    const waits = Array.from({ length: 2_000 }, () => retryDelay(AGAIN, 2, AWAY));
    expect(Math.min(...waits)).toBeLessThan(20);
    expect(Math.max(...waits)).toBeGreaterThan(180);
    const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
    expect(mean).toBeGreaterThan(80);
    expect(mean).toBeLessThan(120);
  });

  it('doubles up to the longest', async () => {
    const { began } = await follow({
      retry: { ...AGAIN, maxAttempts: 7, maxDelayMs: 800 },
      attempts: failing(AWAY, AWAY, AWAY, AWAY, AWAY, AWAY),
      jitter: [0.999_999],
    });
    const waits = began.slice(1).map((at, n) => Math.round((at - began[n]!) / 100));
    expect(waits).toEqual([1, 2, 4, 8, 8, 8]);
  });
});

describe('a call that is tried again', () => {
  it('§4.5: by default once and no more', async () => {
    expect(NO_RETRY.maxAttempts).toBe(1);
    const { outcome, receipt, began } = await follow({ retry: NO_RETRY, attempts: failing(NEVER_SEEN) });
    expect(outcome).toMatchObject({
      error: { code: 'UPSTREAM_UNAVAILABLE', message: 'away', retryable: true },
    });
    expect(began).toEqual([0]);
    expect(receipt.attempts).toBe(1);
  });

  it('§4.5: transient upstream failures are retried, and the attempts are in the receipt', async () => {
    const { outcome, receipt, began } = await follow({ attempts: failing(AWAY, AWAY) });
    expect(outcome).toMatchObject({ status: 'ok', provenance: { source: 'compute' } });
    expect(began).toHaveLength(3);
    expect(receipt).toMatchObject({ status: 'ok', attempts: 3, source: 'compute' });
  });

  it.each(['read_only', 'write_irreversible'] as const)(
    '§4.5: a tool-level error result dispatches exactly once, of a tool that is %s',
    async (mutation) => {
      const { deps, calls, receipts } = recordingDeps({
        tools: [{ ...ECHO, declared: { mutation, idempotent: true } }],
        retry: { ...AGAIN, codes: [...ERROR_CODES] },
        answer: async () => ({ content: [], isError: true }),
      });
      const call = send(deps);
      await vi.runAllTimersAsync();
      expect(await call).toMatchObject({ error: { code: 'UPSTREAM_FAILURE', variant: 'tool' } });
      expect(calls).toHaveLength(1);
      expect(receipts[0]!.attempts).toBe(1);
    },
  );

  it('is none that broke in a way of its own', async () => {
    const { deps, calls } = recordingDeps({
      tools: [{ ...ECHO, declared: { mutation: 'read_only' } }],
      retry: { ...AGAIN, codes: [...ERROR_CODES] },
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
    'may be a %s one as long as nothing can have happened, and no longer',
    async (mutation) => {
      const { outcome, began } = await follow({ mutation, attempts: failing(NEVER_SEEN, NEVER_SEEN, AWAY) });
      expect(began).toHaveLength(3);
      expect(codeOf(outcome)).toBe('UPSTREAM_UNAVAILABLE');
    },
  );

  it('says that it was tried as often as it may be only where it was tried more than once', async () => {
    const once = await follow({ retry: { ...AGAIN, maxAttempts: 1 }, attempts: failing(AWAY) });
    expect(codeOf(once.outcome)).toBe('UPSTREAM_UNAVAILABLE');
    const twice = await follow({ retry: { ...AGAIN, maxAttempts: 2 }, attempts: failing(AWAY, AWAY) });
    expect(twice.outcome).toMatchObject({
      error: { code: 'RETRY_EXHAUSTED', details: { attempts: 2, last: 'UPSTREAM_UNAVAILABLE' } },
    });
    expect(twice.receipt).toMatchObject({ errorCode: 'RETRY_EXHAUSTED', attempts: 2 });
  });

  it('waits no more where the wait would reach the deadline: it is answered at once', async () => {
    const slow = new Fault('RATE_LIMITED', 'wait', { retryAfterMs: 600 });
    const first = await follow({ attempts: failing(slow), budgetMs: 500 });
    expect(first).toMatchObject({ began: [0], endedAt: 0 });
    expect(codeOf(first.outcome)).toBe('RATE_LIMITED');
    const second = await follow({ attempts: failing(AWAY, slow), budgetMs: 500, jitter: [0] });
    expect(second.began).toHaveLength(2);
    expect(second.endedAt).toBeLessThan(10);
    expect(codeOf(second.outcome)).toBe('RETRY_EXHAUSTED');
  });

  it('never comes back before the time that the upstream asked for: it waits for so long, or not at all', async () => {
    const slow = new Fault('RATE_LIMITED', 'wait', { retryAfterMs: 800 });
    const waited = await follow({ attempts: failing(slow, slow), jitter: [0.5] });
    expect(waited.began).toEqual([0, 850, 1_750]);
    const tooSlow = new Fault('RATE_LIMITED', 'wait', { retryAfterMs: 2_000 });
    const first = await follow({ attempts: failing(tooSlow) });
    expect(first.began).toEqual([0]);
    expect(first.outcome).toMatchObject({ error: { code: 'RATE_LIMITED', retryAfterMs: 2_000 } });
    const later = await follow({ attempts: failing(AWAY, tooSlow) });
    expect(later.began).toHaveLength(2);
    expect(later.outcome).toMatchObject({ error: { code: 'RETRY_EXHAUSTED', retryAfterMs: 2_000 } });
  });

  it('ends at its deadline in the middle of an attempt, and tries no more', async () => {
    const attempts = [
      { ms: 300, fault: AWAY },
      { ms: 10_000, fault: AWAY },
    ];
    const { outcome, began, endedAt } = await follow({ attempts, budgetMs: 1_000 });
    expect(codeOf(outcome)).toBe('DEADLINE_EXCEEDED');
    expect(endedAt).toBe(1_000);
    expect(began).toHaveLength(2);
  });

  it('ends when its caller leaves, in the middle of a wait, and tries no more', async () => {
    const { outcome, began, endedAt } = await follow({
      retry: { ...AGAIN, baseDelayMs: 1_000 },
      attempts: failing(AWAY, AWAY),
      leavesAt: 200,
    });
    expect(outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED', variant: 'cancelled' } });
    expect(began).toEqual([0]);
    expect(endedAt).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends its wait with its signal, at once, and asks nobody again', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const leaving = new AbortController();
    const reason = new Fault('DEADLINE_EXCEEDED', 'gone', { variant: 'cancelled' });
    const attempt = vi.fn(() => Promise.reject(AWAY));
    const call = {
      contract: contractOf({ declared: { idempotent: true } }),
      record: {},
      deadline: Infinity,
    };
    let ended: unknown;
    void withRetry(
      { policy: AGAIN, call: call as unknown as AuthorizedCall, signal: leaving.signal },
      attempt,
    ).catch((thrown) => {
      ended = thrown;
    });
    await vi.advanceTimersByTimeAsync(20);
    expect(ended).toBeUndefined();
    leaving.abort(reason);
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toBe(reason);
    expect(attempt).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });
});
