import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ECHO,
  ECHO_RESULT,
  type RecordingDepsOptions,
  recordingDeps,
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

/** Starts a call; `outcome` is undefined until it has ended. */
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
    'is the maximum of timeout class %s when the upstream never answers and ignores its signal',
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
  ])(
    'is the sooner one when the deadline of the caller is %s than that of the class',
    async (_, budget, expected) => {
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
    },
  );

  it('prevents the call from being sent when it has passed', async () => {
    const { outcome, recorded } = begin({}, { deadline: Date.now() });
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('DEADLINE_EXCEEDED');
    expect(recorded.calls).toHaveLength(0);
    expect(recorded.receipts).toHaveLength(1);
  });

  it('aborts the signal of the upstream with a DEADLINE_EXCEEDED fault', async () => {
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

  it('makes a later answer or error of the upstream irrelevant', async () => {
    for (const settle of ['resolve', 'reject'] as const) {
      const late = Promise.withResolvers<ToolResult>();
      const { outcome, recorded } = begin({ ...ofClass('interactive'), answer: () => late.promise });
      await vi.advanceTimersByTimeAsync(500);
      const ended = outcome();
      expect(codeOf(ended)).toBe('DEADLINE_EXCEEDED');
      if (settle === 'resolve') late.resolve(ECHO_RESULT);
      else late.reject(new Error('too late'));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(outcome()).toBe(ended);
      expect(recorded.receipts).toHaveLength(1);
    }
  });

  it('leaves no timer after the call', async () => {
    const { outcome } = begin({});
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('ok');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a gateway that stops', () => {
  it('ends the call with its own fault, which does not blame the caller', async () => {
    const stop = new AbortController();
    const { outcome, recorded } = begin({ answer: never }, { signal: stop.signal });
    await vi.advanceTimersByTimeAsync(100);
    stop.abort(new Fault('CANCELLED', 'The gateway stopped.', { variant: 'shutdown' }));
    await vi.advanceTimersByTimeAsync(SLOT_GRACE_MS);
    expect(outcome()).toMatchObject({ error: { code: 'CANCELLED', message: 'The gateway stopped.' } });
    expect(recorded.receipts).toMatchObject([{ errorCode: 'CANCELLED' }]);
  });
});

describe('a caller that disconnects', () => {
  it('ends the call at once as cancelled, and aborts the signal of the upstream', async () => {
    const disconnect = new AbortController();
    const { outcome, recorded } = begin({ answer: never }, { signal: disconnect.signal });
    await vi.advanceTimersByTimeAsync(100);
    expect(outcome()).toBeUndefined();
    disconnect.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('CANCELLED');
    expect(recorded.calls[0]!.signal.aborted).toBe(true);
    expect(recorded.calls[0]!.signal.reason).toMatchObject({ code: 'CANCELLED' });
    expect(recorded.receipts).toHaveLength(1);
    // The slot is held for the grace period, because the upstream may still be working.
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(SLOT_GRACE_MS);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['the reason of the caller', 'user pressed stop', { reason: 'user pressed stop' }],
    ['no reason, where the caller gave none', undefined, undefined],
  ])('gives the upstream %s', async (_, reason, details) => {
    const disconnect = new AbortController();
    const { outcome, recorded } = begin({ answer: never }, { signal: disconnect.signal });
    await vi.advanceTimersByTimeAsync(100);
    disconnect.abort(reason);
    await vi.advanceTimersByTimeAsync(SLOT_GRACE_MS);
    expect(recorded.calls[0]!.signal.reason).toMatchObject({ code: 'CANCELLED', details });
    expect(outcome()).toMatchObject({
      error: { code: 'CANCELLED', message: 'The caller cancelled the call.' },
    });
  });

  it('before the call starts prevents it from being sent', async () => {
    const { outcome, recorded } = begin({}, { signal: AbortSignal.abort() });
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('CANCELLED');
    expect(recorded.calls).toHaveLength(0);
  });

  it('after the answer changes nothing', async () => {
    const disconnect = new AbortController();
    const { outcome, recorded } = begin({}, { signal: disconnect.signal });
    await vi.advanceTimersByTimeAsync(0);
    disconnect.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(codeOf(outcome())).toBe('ok');
    expect(recorded.calls[0]!.signal.aborted).toBe(false);
    expect(recorded.receipts).toHaveLength(1);
  });
});

describe('withDeadline', () => {
  it('ends a call at the first of answer, deadline and disconnect, with one receipt', async () => {
    const upstream = fc.record({
      after: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 400_000 })),
      how: fc.constantFrom('answers', 'refuses', 'throws'),
    });
    const caller = fc.record({
      budget: fc.option(fc.integer({ min: -1_000, max: 400_000 }), { nil: undefined }),
      disconnectsAfter: fc.option(fc.integer({ min: 0, max: 400_000 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<TimeoutClass>('interactive', 'standard', 'long_running'),
        upstream,
        caller,
        async (timeoutClass, { after, how }, { budget, disconnectsAfter }) => {
          const began = Date.now();
          const disconnect = new AbortController();
          if (disconnectsAfter !== undefined) setTimeout(() => disconnect.abort(), disconnectsAfter);
          const { outcome, recorded } = begin(
            {
              ...ofClass(timeoutClass),
              answer: async () => {
                if (!Number.isFinite(after)) return never();
                await new Promise((resolve) => setTimeout(resolve, after));
                if (how === 'refuses') throw new Fault('RATE_LIMITED', 'no');
                if (how === 'throws') throw new Error('x');
                return ECHO_RESULT;
              },
            },
            { signal: disconnect.signal, ...(budget !== undefined && { deadline: began + budget }) },
          );
          const allowed = Math.max(Math.min(TIMEOUT_MS[timeoutClass], budget ?? Number.POSITIVE_INFINITY), 0);
          const end = Math.min(allowed, disconnectsAfter ?? Number.POSITIVE_INFINITY, after);
          if (end > 0) {
            await vi.advanceTimersByTimeAsync(end - 1);
            expect(outcome()).toBeUndefined();
            await vi.advanceTimersByTimeAsync(1);
          } else await vi.advanceTimersByTimeAsync(0);
          const code = codeOf(outcome());
          expect(code).toBeDefined();
          expect(recorded.receipts).toHaveLength(1);
          // Of two at the same moment either may win.
          const answered = { answers: 'ok', refuses: 'RATE_LIMITED', throws: 'INTERNAL_TOOL_ERROR' }[how];
          const possible = [
            ...(after === end && allowed > 0 ? [answered] : []),
            ...(allowed === end ? ['DEADLINE_EXCEEDED'] : []),
            ...(disconnectsAfter === end ? ['CANCELLED'] : []),
          ];
          expect(possible).toContain(code);
          vi.clearAllTimers();
        },
      ),
      { numRuns: 150 },
    );
  });

  it('ends at the deadline with real timers too', async () => {
    vi.useRealTimers();
    const deadline = Date.now() + 100;
    await expect(withDeadline({ deadline, signal: undefined }, never)).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    // Long enough for a machine under load; without a timer the call would never end.
    expect(Date.now() - deadline).toBeGreaterThanOrEqual(-5);
    expect(Date.now() - deadline).toBeLessThan(20_000);
  });
});

it('a call whose deadline passes while its intent is recorded is never sent', async () => {
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
