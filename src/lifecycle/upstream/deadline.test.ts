import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ECHO,
  type RecordingDepsOptions,
  recordingDeps,
  SAID,
  type SendParts,
  send,
  type UpstreamCall,
} from '../../../test/recording-deps.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { TIMEOUT_CLASSES, TIMEOUT_MS, type TimeoutClass } from '../../contract/tool/timeout-class.ts';
import { SLOT_GRACE_MS } from './bulkhead.ts';
import { withDeadline } from './deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = (): Promise<ToolResult> => new Promise(() => {});
const ofClass = (timeoutClass: TimeoutClass): RecordingDepsOptions => ({
  tools: [{ ...ECHO, declared: { timeoutClass } }],
});

/** Starts a call and tells at any time whether it has ended. */
function begin(
  options: RecordingDepsOptions,
  more: SendParts = {},
): { outcome: () => Outcome | undefined; recorded: ReturnType<typeof recordingDeps> } {
  const recorded = recordingDeps(options);
  let outcome: Outcome | undefined;
  void send(recorded.deps, more).then((ended) => {
    outcome = ended;
  });
  return { outcome: () => outcome, recorded };
}

function codeOf(outcome: Outcome | undefined): string | undefined {
  return outcome?.status === 'failed'
    ? [outcome.error.code, outcome.error.variant].filter(Boolean).join(' ')
    : outcome?.status;
}

describe('the deadline of a call', () => {
  it.each(TIMEOUT_CLASSES)(
    'is the maximum of class %s where the upstream never settles and ignores its signal',
    async (timeoutClass) => {
      const { outcome, recorded } = begin({ ...ofClass(timeoutClass), answer: never });
      await vi.advanceTimersByTimeAsync(TIMEOUT_MS[timeoutClass] - 1);
      expect(outcome()).toBeUndefined();
      expect(recorded.calls[0]!.signal.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(codeOf(outcome())).toBe('DEADLINE_EXCEEDED');
      expect(recorded.calls[0]!.signal.aborted).toBe(true);
      expect(recorded.receipts).toMatchObject([{ errorCode: 'DEADLINE_EXCEEDED', phase: 'execute' }]);
    },
  );

  it.each([
    ['sooner', 200, 200],
    ['later', 60_000, 500],
  ])('is the caller’s where that is %s than the class’s', async (_, budget, expected) => {
    const { outcome, recorded } = begin(
      { ...ofClass('interactive'), answer: never },
      { deadline: Date.now() + budget },
    );
    await vi.advanceTimersByTimeAsync(0);
    expect(recorded.calls[0]!.deadline).toBe(Date.now() + expected);
    await vi.advanceTimersByTimeAsync(expected - 1);
    expect(outcome()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(codeOf(outcome())).toBe('DEADLINE_EXCEEDED');
  });

  it('that has passed lets nothing begin', async () => {
    const { outcome, recorded } = begin({}, { deadline: Date.now() });
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('DEADLINE_EXCEEDED');
    expect(recorded.calls).toHaveLength(0);
    expect(recorded.receipts).toHaveLength(1);
  });

  it('tells the upstream why by its signal', async () => {
    const reasons: unknown[] = [];
    begin({
      ...ofClass('interactive'),
      answer: ({ signal }: UpstreamCall) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        return never();
      },
    });
    await vi.advanceTimersByTimeAsync(500);
    expect(reasons).toMatchObject([{ code: 'DEADLINE_EXCEEDED', variant: undefined }]);
    expect(reasons[0]).toBeInstanceOf(Fault);
  });

  it('leaves an upstream that settles too late unheard, however it settles', async () => {
    for (const settle of ['resolve', 'reject'] as const) {
      const late = Promise.withResolvers<ToolResult>();
      const { outcome, recorded } = begin({ ...ofClass('interactive'), answer: () => late.promise });
      await vi.advanceTimersByTimeAsync(500);
      const ended = outcome();
      expect(codeOf(ended)).toBe('DEADLINE_EXCEEDED');
      if (settle === 'resolve') late.resolve(SAID);
      else late.reject(new Error('too late'));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(outcome()).toBe(ended);
      expect(recorded.receipts).toHaveLength(1);
    }
  });

  it('leaves no timer behind', async () => {
    const { outcome } = begin({});
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('ok');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a caller that goes away', () => {
  it('ends the call at once as cancelled, and the upstream is told', async () => {
    const leaving = new AbortController();
    const { outcome, recorded } = begin({ answer: never }, { signal: leaving.signal });
    await vi.advanceTimersByTimeAsync(100);
    expect(outcome()).toBeUndefined();
    leaving.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('DEADLINE_EXCEEDED cancelled');
    expect(recorded.calls[0]!.signal.aborted).toBe(true);
    expect(recorded.calls[0]!.signal.reason).toMatchObject({ variant: 'cancelled' });
    expect(recorded.receipts).toHaveLength(1);
    // Its place is kept for an upstream that may still let go, and not for ever.
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(SLOT_GRACE_MS);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('before the call began leaves the upstream alone', async () => {
    const { outcome, recorded } = begin({}, { signal: AbortSignal.abort() });
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('DEADLINE_EXCEEDED cancelled');
    expect(recorded.calls).toHaveLength(0);
  });

  it('after the answer changes nothing', async () => {
    const leaving = new AbortController();
    const { outcome, recorded } = begin({}, { signal: leaving.signal });
    await vi.advanceTimersByTimeAsync(0);
    leaving.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('ok');
    expect(recorded.calls[0]!.signal.aborted).toBe(false);
    expect(recorded.receipts).toHaveLength(1);
  });
});

describe('whatever the upstream does', () => {
  it('a call ends by its deadline, not before its answer, with one receipt', async () => {
    const upstream = fc.record({
      after: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 400_000 })),
      how: fc.constantFrom('answers', 'refuses', 'breaks'),
    });
    const caller = fc.record({
      budget: fc.option(fc.integer({ min: -1_000, max: 400_000 }), { nil: undefined }),
      leaves: fc.option(fc.integer({ min: 0, max: 400_000 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<TimeoutClass>('interactive', 'standard', 'long_running'),
        upstream,
        caller,
        async (timeoutClass, { after, how }, { budget, leaves }) => {
          const began = Date.now();
          const leaving = new AbortController();
          if (leaves !== undefined) setTimeout(() => leaving.abort(), leaves);
          const { outcome, recorded } = begin(
            {
              ...ofClass(timeoutClass),
              answer: async () => {
                if (!Number.isFinite(after)) return never();
                await new Promise((resolve) => setTimeout(resolve, after));
                if (how === 'refuses') throw new Fault('RATE_LIMITED', 'no');
                if (how === 'breaks') throw new Error('x');
                return SAID;
              },
            },
            { signal: leaving.signal, ...(budget !== undefined && { deadline: began + budget }) },
          );
          const allowed = Math.max(Math.min(TIMEOUT_MS[timeoutClass], budget ?? Number.POSITIVE_INFINITY), 0);
          const end = Math.min(allowed, leaves ?? Number.POSITIVE_INFINITY, after);
          if (end > 0) {
            await vi.advanceTimersByTimeAsync(end - 1);
            expect(outcome()).toBeUndefined();
            await vi.advanceTimersByTimeAsync(1);
          } else await vi.advanceTimersByTimeAsync(0);
          const code = codeOf(outcome());
          expect(code).toBeDefined();
          expect(recorded.receipts).toHaveLength(1);
          // Where two fall on one moment either may win; where one is first it must.
          const answered = { answers: 'ok', refuses: 'RATE_LIMITED', breaks: 'INTERNAL_TOOL_ERROR' }[how];
          const first = [
            ...(after === end && allowed > 0 ? [answered] : []),
            ...(allowed === end ? ['DEADLINE_EXCEEDED'] : []),
            ...(leaves === end ? ['DEADLINE_EXCEEDED cancelled'] : []),
          ];
          expect(first).toContain(code);
          vi.clearAllTimers();
        },
      ),
      { numRuns: 150 },
    );
  });

  it('keeps the deadline by the real clock too', async () => {
    vi.useRealTimers();
    const deadline = Date.now() + 100;
    await expect(withDeadline({ deadline, signal: undefined }, never)).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    // Generous for a machine under load; without a timer of our own it would never end.
    expect(Date.now() - deadline).toBeGreaterThanOrEqual(-5);
    expect(Date.now() - deadline).toBeLessThan(20_000);
  });
});

it('a call whose time runs out while its intent is written never reaches the upstream', async () => {
  const { deps, calls } = recordingDeps();
  const { promise: written, resolve: writeNow } = Promise.withResolvers<void>();
  const slow = {
    ...deps,
    idempotency: {
      ...deps.idempotency,
      recordIntent: async (scope: string, callId: string) => {
        await written;
        return deps.idempotency.recordIntent(scope, callId);
      },
    },
  };
  const outcome = send(slow, { idempotencyKey: 'k', deadline: Date.now() + 50 });
  await vi.advanceTimersByTimeAsync(60);
  expect(await outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
  writeNow();
  await vi.advanceTimersByTimeAsync(10);
  expect(calls).toEqual([]);
});
