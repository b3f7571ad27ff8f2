import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ECHO,
  ECHO_RESULT,
  NAMESPACE,
  type RecordingDepsOptions,
  recordingDeps,
  type SendParts,
  send,
  type UpstreamCall,
} from '../../../test/recording-deps.ts';
import { loadConfig } from '../../app/config/load.ts';
import { createCallControls } from '../../app/wiring/call-controls.ts';
import { type Caller, createCaller } from '../../contract/call/caller.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { ERROR_CODES } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { TIMEOUT_CLASSES, TIMEOUT_MS, type TimeoutClass } from '../../contract/tool/timeout-class.ts';
import { SLOT_GRACE_MS } from './bulkhead.ts';
import { type GuardedRun, type GuardOptions, type UpstreamClock, UpstreamGuard } from './upstream-guard.ts';

vi.mock('node:timers/promises', () => import('../../../test/pause.ts'));

afterEach(() => {
  vi.useRealTimers();
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const DEFAULTS: GuardOptions = {
  maxConcurrent: 64,
  maxQueued: 64,
  failureThreshold: 3,
  resetTimeoutMs: 1_000,
};
const HANG_MS = 20_000;
/** A signal that never fires. */
const OPEN_SIGNAL = new AbortController().signal;

/** Runs work whose whole time counts as the upstream's. */
function run<Result>(
  guard: UpstreamGuard,
  options: GuardedRun,
  work: () => Promise<Result>,
): Promise<Result> {
  return guard.run(options, (clock) => clock.measure(work()));
}

function guardWith(options: Partial<GuardOptions> = {}): UpstreamGuard {
  return new UpstreamGuard(NAMESPACE, { ...DEFAULTS, ...options });
}

/** The result of a call, or its error. */
async function resultOf(running: Promise<unknown>): Promise<unknown> {
  return running.catch((thrown) => thrown);
}

const failing = (thrown: unknown) => async (): Promise<never> => {
  throw thrown;
};
const unavailable = () => new Fault('UPSTREAM_UNAVAILABLE', 'away');

async function failTimes(guard: UpstreamGuard, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await resultOf(run(guard, { signal: OPEN_SIGNAL }, failing(unavailable())));
}

function codeOf(outcome: Outcome): string {
  return outcome.status === 'failed'
    ? [outcome.error.code, outcome.error.variant].filter(Boolean).join(' ')
    : outcome.status;
}

describe('the circuit breaker of UpstreamGuard', () => {
  const FAILURE_CODES = ['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED'] as const;

  it.each(FAILURE_CODES)(
    'opens after consecutive failures with %s, and then sends no calls',
    async (code) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const guard = guardWith();
      const fault = new Fault(code, 'no');
      for (let i = 0; i < 3; i++) {
        expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
        expect(await resultOf(run(guard, { signal: OPEN_SIGNAL }, failing(fault)))).toBe(fault);
      }
      expect(guard.state).toEqual({ circuit: 'open', running: 0, queued: 0 });
      const work = vi.fn(async () => 'answer');
      const refused = await resultOf(run(guard, { signal: OPEN_SIGNAL }, work));
      expect(work).not.toHaveBeenCalled();
      expect(refused).toBeInstanceOf(Fault);
      expect(refused).toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
        message: 'Circuit open for upstream shop after 3 consecutive failures; next attempt in 1 s.',
        effect: 'none',
        retryable: true,
        retryAfterMs: 1_000,
      });
      vi.setSystemTime(Date.now() + 400);
      expect(await resultOf(run(guard, { signal: OPEN_SIGNAL }, work))).toMatchObject({ retryAfterMs: 600 });
    },
  );

  it.each(ERROR_CODES.filter((code) => !FAILURE_CODES.some((counted) => counted === code)))(
    'stays closed after any number of errors with %s',
    async (code) => {
      const guard = guardWith();
      for (let i = 0; i < 10; i++)
        await resultOf(run(guard, { signal: OPEN_SIGNAL }, failing(new Fault(code, 'no'))));
      expect(guard.state.circuit).toBe('closed');
    },
  );

  it('stays closed after any number of cancellations, unexpected errors and reported errors', async () => {
    const guard = guardWith();
    const cancelled = new Fault('CANCELLED', 'gone');
    for (let i = 0; i < 10; i++) {
      await resultOf(run(guard, { signal: OPEN_SIGNAL }, failing(cancelled)));
      await resultOf(run(guard, { signal: OPEN_SIGNAL }, failing(new TypeError('x'))));
      await resultOf(run(guard, { signal: OPEN_SIGNAL }, async () => ({ content: [], isError: true })));
    }
    expect(guard.state.circuit).toBe('closed');
  });

  it('counts only consecutive failures: a success resets the count', async () => {
    const guard = guardWith();
    for (let i = 0; i < 5; i++) {
      await failTimes(guard, 2);
      expect(await run(guard, { signal: OPEN_SIGNAL }, async () => 'answer')).toBe('answer');
    }
    expect(guard.state.circuit).toBe('closed');
    await failTimes(guard, 3);
    expect(guard.state.circuit).toBe('open');
  });

  it('counts one loss once, however many calls it took, and a silent upstream for every call', async () => {
    const inFlight = async (guard: UpstreamGuard, fault: Fault): Promise<void> => {
      const lost = Promise.withResolvers<never>();
      const calls = Array.from({ length: 12 }, () =>
        resultOf(run(guard, { signal: OPEN_SIGNAL }, () => lost.promise)),
      );
      await nextTurn();
      lost.reject(fault);
      await Promise.all(calls);
    };
    const guard = guardWith();
    for (let losses = 1; losses <= 3; losses++) {
      expect(guard.state.circuit).toBe('closed');
      await inFlight(guard, unavailable());
    }
    expect(guard.state.circuit).toBe('open');
    const silent = guardWith();
    await inFlight(silent, new Fault('DEADLINE_EXCEEDED', 'late'));
    expect(silent.state.circuit).toBe('open');
  });

  it('counts the loss of a call that was queued during an earlier loss', async () => {
    const guard = guardWith({ maxConcurrent: 1, failureThreshold: 2 });
    await Promise.all(
      [1, 2].map(() => resultOf(run(guard, { signal: OPEN_SIGNAL }, failing(unavailable())))),
    );
    expect(guard.state.circuit).toBe('open');
  });

  const MIN_WAIT_MS = 500;
  const hang = () => new Promise<never>(() => {});
  const deadline = () => new Fault('DEADLINE_EXCEEDED', 'late');
  const cancelled = () => new Fault('CANCELLED', 'gone');

  const measured = (work: () => Promise<unknown>) => (clock: UpstreamClock) => clock.measure(work());

  interface Ending {
    readonly work: (clock: UpstreamClock) => Promise<unknown>;
    readonly countsAs: 'success' | 'failure' | 'ignored';
    /** For work that never ends: when the signal of the caller fires, and with which reason. */
    readonly signal?: { readonly afterMs: number; readonly reason: () => unknown };
  }
  const ENDINGS: Readonly<Record<string, Ending>> = {
    answers: { work: measured(async () => 'answer'), countsAs: 'success' },
    'reports an error': { work: measured(async () => ({ content: [], isError: true })), countsAs: 'success' },
    refuses: { work: measured(failing(new Fault('UPSTREAM_FAILURE', 'no'))), countsAs: 'success' },
    'is unavailable': { work: measured(failing(unavailable())), countsAs: 'failure' },
    'reports a missed deadline': { work: measured(failing(deadline())), countsAs: 'failure' },
    hangs: { work: measured(hang), countsAs: 'failure', signal: { afterMs: MIN_WAIT_MS, reason: deadline } },
    'hangs for less than the minimum': {
      work: measured(hang),
      countsAs: 'ignored',
      signal: { afterMs: MIN_WAIT_MS - 1, reason: deadline },
    },
    'is cancelled by its caller': {
      work: measured(hang),
      countsAs: 'ignored',
      signal: { afterMs: MIN_WAIT_MS, reason: cancelled },
    },
    'is aborted for another reason': {
      work: measured(hang),
      countsAs: 'ignored',
      signal: { afterMs: MIN_WAIT_MS, reason: () => new Error('other reason') },
    },
    'throws an unexpected error': { work: measured(failing(new TypeError('x'))), countsAs: 'ignored' },
    'is not called because the gateway fails': { work: failing(unavailable()), countsAs: 'ignored' },
    'is not called because the gateway hangs': {
      work: hang,
      countsAs: 'ignored',
      signal: { afterMs: MIN_WAIT_MS, reason: deadline },
    },
    'hangs after the gateway was slow': {
      work: async (clock) => {
        vi.advanceTimersByTime(MIN_WAIT_MS);
        return clock.measure(hang());
      },
      countsAs: 'failure',
      signal: { afterMs: MIN_WAIT_MS, reason: deadline },
    },
  };
  type Step =
    | { readonly kind: 'call'; readonly how: string }
    | { readonly kind: 'wait'; readonly ms: number };
  const steps: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('call' as const),
        how: fc.oneof(fc.constantFrom('is unavailable', 'hangs'), fc.constantFrom(...Object.keys(ENDINGS))),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 1_500 }) }),
    },
  );

  it('changes its state like a model, for any sequence of calls and waits', async () => {
    vi.useFakeTimers();
    const transitions = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(steps, { minLength: 5, maxLength: 40 }),
        async (failureThreshold, sequence) => {
          const guard = guardWith({ failureThreshold });
          let failures = 0;
          let openSince: number | undefined;
          // When the slots of calls that never end become free.
          const heldUntil: number[] = [];
          for (const step of sequence) {
            if (step.kind === 'wait') {
              await vi.advanceTimersByTimeAsync(step.ms);
              continue;
            }
            const { work, countsAs, signal } = ENDINGS[step.how]!;
            const isTrial = openSince !== undefined && Date.now() - openSince >= DEFAULTS.resetTimeoutMs;
            const during: string[] = [];
            const disconnect = new AbortController();
            const running = resultOf(
              guard.run({ signal: disconnect.signal, minWaitToBlameMs: MIN_WAIT_MS }, (clock) => {
                during.push(guard.state.circuit);
                return work(clock);
              }),
            );
            if (signal && during.length > 0) {
              await vi.advanceTimersByTimeAsync(signal.afterMs);
              disconnect.abort(signal.reason());
              heldUntil.push(Date.now() + SLOT_GRACE_MS);
            }
            await running;
            if (openSince !== undefined && !isTrial) expect(during).toEqual([]);
            else {
              expect(during).toEqual([isTrial ? 'half_open' : 'closed']);
              if (countsAs === 'success') failures = 0;
              if (countsAs === 'failure') failures++;
              if (isTrial && countsAs === 'success') openSince = undefined;
              if (countsAs === 'failure' && (isTrial || failures >= failureThreshold)) openSince = Date.now();
            }
            const expected = openSince === undefined ? 'closed' : 'open';
            const held = heldUntil.filter((until) => until > Date.now()).length;
            expect(guard.state).toEqual({ circuit: expected, running: held, queued: 0 });
            transitions.add(`${during[0] ?? 'none'} → ${expected} (${during[0] ? countsAs : 'not sent'})`);
          }
          vi.clearAllTimers();
        },
      ),
      { numRuns: 300 },
    );
    expect([...transitions].sort()).toEqual([
      'closed → closed (failure)',
      'closed → closed (ignored)',
      'closed → closed (success)',
      'closed → open (failure)',
      'half_open → closed (success)',
      'half_open → open (failure)',
      'half_open → open (ignored)',
      'none → open (not sent)',
    ]);
  });

  it('recovers for any callers: one trial at a time, no wait beyond a signal, no lost slot', async () => {
    vi.useFakeTimers();
    const caller = fc.record({
      startsAt: fc.integer({ min: 0, max: 6_000 }),
      timeoutMs: fc.integer({ min: 1, max: 2_000 }),
      ignoresSignal: fc.boolean(),
      cancels: fc.boolean(),
    });
    let trials = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(caller, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 3 }),
        async (callers, maxConcurrent) => {
          const start = Date.now();
          const guard = guardWith({ failureThreshold: 2, maxConcurrent });
          const delays: number[] = [];
          let activeTrials = 0;
          const work = (signal: AbortSignal, ignoresSignal: boolean) => async () => {
            const isTrial = guard.state.circuit === 'half_open';
            if (isTrial) expect(++activeTrials).toBe(1);
            if (isTrial) trials++;
            signal.addEventListener('abort', () => (activeTrials -= Number(isTrial)), { once: true });
            // The upstream hangs for four seconds and then recovers; it may ignore the signal of its caller.
            if (Date.now() - start >= 4_000) {
              activeTrials -= Number(isTrial);
              return 'success';
            }
            if (ignoresSignal) return hang();
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
            throw signal.reason;
          };
          for (const { startsAt, timeoutMs, ignoresSignal, cancels } of callers) {
            setTimeout(async () => {
              const disconnect = new AbortController();
              const end = Date.now() + timeoutMs;
              setTimeout(() => disconnect.abort(cancels ? cancelled() : deadline()), timeoutMs);
              await resultOf(
                run(
                  guard,
                  { signal: disconnect.signal, minWaitToBlameMs: MIN_WAIT_MS },
                  work(disconnect.signal, ignoresSignal),
                ),
              );
              delays.push(Date.now() - end);
            }, startsAt);
          }
          await vi.advanceTimersByTimeAsync(10_000 + SLOT_GRACE_MS);
          expect(delays).toHaveLength(callers.length);
          expect(Math.max(...delays)).toBeLessThanOrEqual(0);
          expect(guard.state).toMatchObject({ running: 0, queued: 0 });
          expect(await run(guard, { signal: OPEN_SIGNAL }, async () => 'answer')).toBe('answer');
          expect(guard.state.circuit).toBe('closed');
          vi.clearAllTimers();
        },
      ),
      { numRuns: 150 },
    );
    // Otherwise there were too few trial calls.
    expect(trials).toBeGreaterThan(10);
  });

  it('refuses queued calls too when it opens', async () => {
    const guard = guardWith({ failureThreshold: 1, maxConcurrent: 1 });
    const first = Promise.withResolvers<string>();
    const failed = resultOf(run(guard, { signal: OPEN_SIGNAL }, () => first.promise));
    const work = vi.fn(async () => 'second');
    const second = resultOf(run(guard, { signal: OPEN_SIGNAL }, work));
    expect(guard.state).toEqual({ circuit: 'closed', running: 1, queued: 1 });
    first.reject(unavailable());
    await failed;
    expect(await second).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', effect: 'none' });
    expect(work).not.toHaveBeenCalled();
    expect(guard.state).toEqual({ circuit: 'open', running: 0, queued: 0 });
  });

  describe('after the reset timeout', () => {
    /** A circuit breaker with a trial call in flight and a second call that waits for it. */
    async function startTrial() {
      vi.useFakeTimers({ toFake: ['Date'] });
      const guard = guardWith({ failureThreshold: 1 });
      await failTimes(guard, 1);
      vi.setSystemTime(Date.now() + 1_000);
      const trial = Promise.withResolvers<string>();
      const answer = resultOf(run(guard, { signal: OPEN_SIGNAL }, () => trial.promise));
      expect(guard.state).toEqual({ circuit: 'half_open', running: 1, queued: 0 });
      const work = vi.fn(async () => 'second');
      const disconnect = new AbortController();
      const second = resultOf(run(guard, { signal: disconnect.signal }, work));
      await nextTurn();
      expect(work).not.toHaveBeenCalled();
      return { guard, trial, answer, second, work, disconnect };
    }

    it('allows one trial call, and the others after its success', async () => {
      const { guard, trial, answer, second, work } = await startTrial();
      trial.resolve('first');
      expect(await answer).toBe('first');
      expect(await second).toBe('second');
      expect(work).toHaveBeenCalledOnce();
      expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
    });

    it('refuses the other calls after a failed trial, and stays open for another reset timeout', async () => {
      const { guard, trial, answer, second, work } = await startTrial();
      trial.reject(unavailable());
      expect(await answer).toMatchObject({ message: 'away' });
      expect(await second).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', effect: 'none' });
      expect(work).not.toHaveBeenCalled();
      expect(guard.state.circuit).toBe('open');
      vi.setSystemTime(Date.now() + 999);
      expect(await resultOf(run(guard, { signal: OPEN_SIGNAL }, async () => 'too soon'))).toBeInstanceOf(
        Fault,
      );
      vi.setSystemTime(Date.now() + 1);
      expect(await run(guard, { signal: OPEN_SIGNAL }, async () => 'now')).toBe('now');
    });

    it('ends a call at once when its caller disconnects while it waits for the trial', async () => {
      const { guard, second, work, disconnect } = await startTrial();
      const reason = new Fault('CANCELLED', 'gone');
      disconnect.abort(reason);
      expect(await second).toBe(reason);
      expect(work).not.toHaveBeenCalled();
      expect(guard.state).toEqual({ circuit: 'half_open', running: 1, queued: 0 });
    });

    it('never runs a call whose caller disconnected while it waited for the trial', async () => {
      const { trial, answer, second, work, disconnect } = await startTrial();
      const reason = new Fault('CANCELLED', 'gone');
      disconnect.abort(reason);
      trial.resolve('first');
      await answer;
      expect(await second).toBe(reason);
      expect(work).not.toHaveBeenCalled();
    });
  });
});

describe('the bulkhead of UpstreamGuard', () => {
  it('limits and queues calls like a model, in order, and never runs an aborted one', async () => {
    const step = fc.record({
      what: fc.constantFrom('start', 'start', 'start', 'finish', 'fail', 'leave queue', 'abandon'),
      which: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 4 }),
        fc.array(step, { minLength: 5, maxLength: 40 }),
        async (maxConcurrent, maxQueued, sequence) => {
          const guard = guardWith({ maxConcurrent, maxQueued });
          const started: number[] = [];
          const refused: number[] = [];
          const aborted: number[] = [];
          const work = new Map<number, PromiseWithResolvers<void>>();
          const controllers = new Map<number, AbortController>();
          let next = 0;
          // The model: calls that run, calls that wait in order, calls that were aborted.
          const model = {
            running: [] as number[],
            queue: [] as number[],
            started: [] as number[],
            refused: [] as number[],
          };
          const expectedAborts = new Set<number>();
          const advance = (): void => {
            while (model.running.length < maxConcurrent && model.queue.length > 0) {
              const id = model.queue.shift()!;
              model.running.push(id);
              model.started.push(id);
            }
          };
          for (const { what, which } of sequence) {
            if (what === 'start') {
              const id = next++;
              const done = Promise.withResolvers<void>();
              const controller = new AbortController();
              work.set(id, done);
              controllers.set(id, controller);
              void run(guard, { signal: controller.signal }, () => {
                started.push(id);
                return done.promise;
              }).catch((thrown) => {
                if (thrown === controller.signal.reason) aborted.push(id);
                else if (thrown instanceof Fault && thrown.message.includes('queued')) refused.push(id);
              });
              if (model.running.length + model.queue.length < maxConcurrent + maxQueued) model.queue.push(id);
              else model.refused.push(id);
            } else if (what === 'leave queue' || what === 'abandon') {
              // An aborted call leaves the queue at once; one that runs holds its slot until its work ends.
              const among = what === 'abandon' ? model.running : model.queue;
              const id = among.filter((one) => !expectedAborts.has(one))[which % (among.length || 1)];
              if (id === undefined) continue;
              expectedAborts.add(id);
              if (what === 'leave queue') model.queue.splice(model.queue.indexOf(id), 1);
              controllers.get(id)!.abort(new Error(`call ${id} aborted`));
            } else {
              const id = model.running[which % (model.running.length || 1)];
              if (id === undefined) continue;
              model.running.splice(model.running.indexOf(id), 1);
              if (what === 'finish') work.get(id)!.resolve();
              else work.get(id)!.reject(new Fault('UPSTREAM_FAILURE', 'no'));
            }
            advance();
            await nextTurn();
            expect(started).toEqual(model.started);
            expect(refused).toEqual(model.refused);
            expect(guard.state).toEqual({
              circuit: 'closed',
              running: model.running.length,
              queued: model.queue.length,
            });
            expect(guard.state.running).toBeLessThanOrEqual(maxConcurrent);
            expect(guard.state.queued).toBeLessThanOrEqual(maxQueued);
          }
          for (const done of work.values()) done.resolve();
          await nextTurn();
          expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
          expect(aborted.sort()).toEqual([...expectedAborts].sort());
        },
      ),
      { numRuns: 150 },
    );
  });

  it('starts queued calls of callers in turn, and refuses calls of the caller with the most', async () => {
    const callers = ['ann', 'ben', 'cy'].flatMap((id) =>
      ['one', 'two'].map((sessionId) => createCaller({ ...LOCAL_USER, id }, { sessionId })),
    );
    const arrivals = fc.array(fc.nat({ max: callers.length - 1 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 20 }), async (sequence, maxQueued) => {
        const guard = guardWith({ maxConcurrent: 1, maxQueued });
        const done: (() => void)[] = [];
        const started: string[] = [];
        const start = (caller: Caller): Promise<unknown> =>
          resultOf(
            run(guard, { signal: OPEN_SIGNAL, caller }, () => {
              started.push(caller.principal.id);
              return new Promise<void>((resolve) => done.push(resolve));
            }),
          );
        void start(createCaller({ ...LOCAL_USER, id: 'first' }));
        const results = sequence.map((which) => start(callers[which]!));
        await nextTurn();
        expect(guard.state.queued).toBe(Math.min(sequence.length, maxQueued));
        const queued = guard.state.queued;
        for (let i = 0; i <= queued; i++) {
          done[i]!();
          await nextTurn();
        }
        const refused = (await Promise.all(results)).filter((result) => result instanceof Fault);
        expect(refused).toHaveLength(sequence.length - queued);
        // Two callers that still wait are served alternately: their counts differ by one at most.
        const turns = started.slice(1);
        for (const one of new Set(turns)) {
          for (const other of new Set(turns)) {
            let lead = 0;
            for (const [at, id] of turns.entries()) {
              if (id === one) lead++;
              if (id === other) lead--;
              if (one !== other && turns.includes(other, at + 1)) expect(lead).toBeLessThanOrEqual(1);
            }
          }
        }
        // A caller within its equal share of the queue is never refused.
        const share = Math.floor(maxQueued / new Set(sequence.map((which) => which >> 1)).size);
        for (const id of new Set(turns)) {
          const sent = sequence.filter((which) => callers[which]!.principal.id === id).length;
          expect(turns.filter((one) => one === id).length).toBeGreaterThanOrEqual(Math.min(sent, share));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('drops a queued call whose caller disconnects, and not one that runs', async () => {
    const guard = guardWith({ maxConcurrent: 1 });
    const first = Promise.withResolvers<string>();
    const disconnect = new AbortController();
    const waiting = { signal: OPEN_SIGNAL, callerSignal: disconnect.signal };
    const running = run(guard, waiting, () => first.promise);
    const queued = resultOf(run(guard, waiting, async () => 'second'));
    expect(guard.state).toMatchObject({ running: 1, queued: 1 });
    disconnect.abort();
    expect(await queued).toMatchObject({ code: 'CANCELLED' });
    expect(guard.state).toMatchObject({ running: 1, queued: 0 });
    first.resolve('first');
    expect(await running).toBe('first');
  });

  it('refuses calls beyond the queue, and does not count that as a failure of the upstream', async () => {
    const guard = guardWith({ maxConcurrent: 1, maxQueued: 1, failureThreshold: 1 });
    const first = Promise.withResolvers<string>();
    const answers = [
      run(guard, { signal: OPEN_SIGNAL }, () => first.promise),
      run(guard, { signal: OPEN_SIGNAL }, async () => 'second'),
    ];
    for (let i = 0; i < 3; i++) {
      const refused = await resultOf(run(guard, { signal: OPEN_SIGNAL }, async () => 'third'));
      expect(refused).toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
        message: 'Too many calls are queued for upstream shop (1). Try again later.',
        effect: 'none',
        retryAfterMs: undefined,
      });
    }
    expect(guard.state).toEqual({ circuit: 'closed', running: 1, queued: 1 });
    first.resolve('first');
    expect(await Promise.all(answers)).toEqual(['first', 'second']);
  });

  it('never starts a call whose signal has fired', async () => {
    const guard = guardWith({ failureThreshold: 1 });
    const reason = new Fault('DEADLINE_EXCEEDED', 'late');
    const work = vi.fn(async () => 'answer');
    expect(await resultOf(run(guard, { signal: AbortSignal.abort(reason) }, work))).toBe(reason);
    expect(work).not.toHaveBeenCalled();
    expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
  });
});

describe('createCallControls', () => {
  const upstream = {
    command: 'true',
    circuitBreaker: { failureThreshold: 2, resetTimeoutMs: 60_000 },
  };
  const config = loadConfig({ settings: { upstreams: { one: upstream, two: upstream } } });

  it('creates one guard for each upstream, so that failures of one do not affect another', async () => {
    const { guard } = createCallControls(config);
    await failTimes(guard('one'), 2);
    expect(guard('one').state.circuit).toBe('open');
    expect(guard('two').state.circuit).toBe('closed');
    expect(await guard('two').run({ signal: OPEN_SIGNAL }, async () => 'answer')).toBe('answer');
  });

  it('applies the limits of the config, and none to native tools', async () => {
    const narrow = { ...upstream, maxConcurrent: 1, maxQueued: 1 };
    const { guard } = createCallControls(loadConfig({ settings: { upstreams: { one: narrow } } }));
    const never = () => new Promise<never>(() => {});
    for (let i = 0; i < 2; i++) void guard('one').run({ signal: OPEN_SIGNAL }, never);
    await expect(guard('one').run({ signal: OPEN_SIGNAL }, never)).rejects.toThrow(
      'Too many calls are queued',
    );
    for (let i = 0; i < 500; i++) void guard('native').run({ signal: OPEN_SIGNAL }, never);
    expect(guard('native').state).toEqual({ circuit: 'closed', running: 500, queued: 0 });
  });
});

/** Dependencies with a guard that has these limits. */
function guardedDeps(options: RecordingDepsOptions, limits: Partial<GuardOptions>) {
  const recorded = recordingDeps(options);
  const guard = guardWith(limits);
  const deps = { ...recorded.deps, guard: () => guard };
  return {
    ...recorded,
    deps,
    guard,
    call: (more: SendParts = {}) => send(deps, more),
  };
}

describe('a call under a guard', () => {
  it('is refused while the circuit is open, with one receipt, and its key stays free', async () => {
    let isUnavailable = true;
    const { call, calls, receipts } = guardedDeps(
      {
        answer: async () => {
          if (isUnavailable) throw unavailable();
          return ECHO_RESULT;
        },
      },
      { failureThreshold: 2, resetTimeoutMs: 60_000 },
    );
    vi.useFakeTimers({ toFake: ['Date'] });
    await call();
    await call();
    expect(calls).toHaveLength(2);
    for (let i = 0; i < 2; i++) {
      expect(await call({ idempotencyKey: 'k' })).toMatchObject({
        error: { code: 'UPSTREAM_UNAVAILABLE', retryable: true, retryAfterMs: 60_000 },
      });
    }
    expect(calls).toHaveLength(2);
    expect(receipts).toHaveLength(4);
    isUnavailable = false;
    vi.setSystemTime(Date.now() + 60_000);
    expect(codeOf(await call({ idempotencyKey: 'k' }))).toBe('ok');
  });

  it('ends when its deadline passes in the queue, is never sent, and its key stays free', async () => {
    const first = Promise.withResolvers<ToolResult>();
    const { call, calls, guard } = guardedDeps(
      { answer: () => (calls.length === 1 ? first.promise : Promise.resolve(ECHO_RESULT)) },
      { maxConcurrent: 1 },
    );
    const running = call();
    await expect.poll(() => calls.length, { timeout: HANG_MS }).toBe(1);
    const late = call({ deadline: Date.now() + 500, idempotencyKey: 'k' });
    const disconnect = new AbortController();
    const disconnected = call({ signal: disconnect.signal, idempotencyKey: 'l' });
    await expect
      .poll(() => guard.state, { timeout: HANG_MS })
      .toEqual({ circuit: 'closed', running: 1, queued: 2 });
    disconnect.abort();
    expect(codeOf(await disconnected)).toBe('CANCELLED');
    expect(codeOf(await late)).toBe('DEADLINE_EXCEEDED');
    first.resolve(ECHO_RESULT);
    expect(codeOf(await running)).toBe('ok');
    await nextTurn();
    expect(calls).toHaveLength(1);
    expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
    // No intent was recorded for these keys.
    for (const idempotencyKey of ['k', 'l']) expect(codeOf(await call({ idempotencyKey }))).toBe('ok');
    expect(calls).toHaveLength(3);
  });

  it('holds its slot until the upstream has answered, even after its caller was answered', async () => {
    const answer = Promise.withResolvers<ToolResult>();
    const { call, calls, guard } = guardedDeps({ answer: () => answer.promise }, { maxConcurrent: 1 });
    expect(codeOf(await call({ deadline: Date.now() + 300 }))).toBe('DEADLINE_EXCEEDED');
    expect(guard.state.running).toBe(1);
    expect(codeOf(await call({ deadline: Date.now() + 300 }))).toBe('DEADLINE_EXCEEDED');
    expect(calls).toHaveLength(1);
    answer.resolve(ECHO_RESULT);
    await nextTurn();
    expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
  });
});

describe('an upstream that hangs', () => {
  const readOnlyTools = (timeoutClass: TimeoutClass) => [
    { ...ECHO, declared: { mutation: 'read_only', timeoutClass } } as const,
  ];
  const never = () => new Promise<never>(() => {});

  it.each(TIMEOUT_CLASSES)(
    'opens the circuit like one that is unavailable, for tools of class %s',
    async (timeoutClass) => {
      vi.useFakeTimers();
      const { call, calls, guard } = guardedDeps(
        { tools: readOnlyTools(timeoutClass), answer: never },
        { failureThreshold: 2, resetTimeoutMs: 60_000 },
      );
      const outcomes = [call(), call()];
      await vi.advanceTimersByTimeAsync(TIMEOUT_MS[timeoutClass]);
      expect((await Promise.all(outcomes)).map(codeOf)).toEqual(['DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED']);
      expect(guard.state.circuit).toBe('open');
      expect(codeOf(await call())).toBe('UPSTREAM_UNAVAILABLE');
      expect(calls).toHaveLength(2);
      await vi.advanceTimersByTimeAsync(SLOT_GRACE_MS);
      expect(guard.state).toEqual({ circuit: 'open', running: 0, queued: 0 });
    },
  );

  it.each([
    ['is blamed when it had one second', 1_000, 'open'],
    ['is not blamed when it had less than one second', 999, 'closed'],
  ])('%s before the deadline of the caller', async (_, budget, expected) => {
    vi.useFakeTimers();
    const { call, guard } = guardedDeps(
      { tools: readOnlyTools('standard'), answer: never },
      { failureThreshold: 1 },
    );
    void call({ deadline: Date.now() + budget });
    await vi.advanceTimersByTimeAsync(budget);
    expect(guard.state.circuit).toBe(expected);
  });
});

describe('a failure inside the gateway', () => {
  it('does not count as a failure of the upstream, nor as the result of a trial', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { deps, guard, calls } = guardedDeps({ answer: failing(unavailable()) }, { failureThreshold: 1 });
    const recordIntent = vi.fn(deps.idempotency.recordIntent);
    // Without a free slot, claim and intent are two steps.
    Object.defineProperty(guard, 'hasFreeSlot', { get: () => false });
    const call = (idempotencyKey: string) =>
      send({ ...deps, idempotency: { ...deps.idempotency, recordIntent } }, { idempotencyKey });
    recordIntent.mockRejectedValueOnce(new Error('disk'));
    expect(codeOf(await call('a'))).toBe('UPSTREAM_UNAVAILABLE store');
    expect(guard.state.circuit).toBe('closed');
    await call('b');
    expect(guard.state.circuit).toBe('open');
    vi.setSystemTime(Date.now() + DEFAULTS.resetTimeoutMs);
    recordIntent.mockRejectedValueOnce(new Error('disk'));
    expect(codeOf(await call('c'))).toBe('UPSTREAM_UNAVAILABLE store');
    expect(calls).toHaveLength(1);
    expect(guard.state).toEqual({ circuit: 'open', running: 0, queued: 0 });
    // The next call may be the trial at once.
    await call('d');
    expect(calls).toHaveLength(2);
  });
});

describe('the deadline fires even when the upstream ignores it', () => {
  it('and no attempt starts after it, in any queue and between any retries', async () => {
    vi.useFakeTimers();
    const caller = fc.record({
      startsAt: fc.integer({ min: 0, max: 2_000 }),
      budget: fc.integer({ min: 1, max: 2_000 }),
      workMs: fc.integer({ min: 0, max: 1_500 }),
      fails: fc.boolean(),
      key: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(caller, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (callers, maxConcurrent) => {
          const start = Date.now();
          let running = 0;
          const attempts: { at: number; deadline: number }[] = [];
          const { call, receipts } = guardedDeps(
            {
              tools: [{ ...ECHO, declared: { idempotent: true } }],
              retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1, codes: ['UPSTREAM_UNAVAILABLE'] },
              answer: async ({ deadline }: UpstreamCall) => {
                attempts.push({ at: Date.now(), deadline });
                expect(++running).toBeLessThanOrEqual(maxConcurrent);
                const { workMs, fails } = callers[attempts.length % callers.length]!;
                if (workMs > 0) await new Promise((resolve) => setTimeout(resolve, workMs));
                running--;
                if (fails) throw unavailable();
                return ECHO_RESULT;
              },
            },
            { maxConcurrent, failureThreshold: 1_000 },
          );
          const delays: number[] = [];
          for (const { startsAt, budget, key } of callers) {
            setTimeout(async () => {
              const deadline = Date.now() + budget;
              await call({ deadline, ...(key !== undefined && { idempotencyKey: key }) });
              delays.push(Date.now() - deadline);
            }, startsAt);
          }
          await vi.advanceTimersByTimeAsync(10_000);
          expect(delays).toHaveLength(callers.length);
          expect(Math.max(...delays)).toBeLessThanOrEqual(0);
          for (const { at, deadline } of attempts) expect(at - start).toBeLessThanOrEqual(deadline - start);
          expect(receipts).toHaveLength(callers.length);
          vi.clearAllTimers();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('T23: with real timers, for any short deadline', async () => {
    const SLACK_MS = 1_000;
    let worst = Number.NEGATIVE_INFINITY;
    const caller = fc.record({
      budget: fc.integer({ min: 1, max: 150 }),
      mutation: fc.constantFrom('read_only', 'write_irreversible'),
      isKeyed: fc.boolean(),
      maxConcurrent: fc.integer({ min: 1, max: 4 }),
      calls: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(caller, async ({ budget, mutation, isKeyed, maxConcurrent, calls }) => {
        const { call } = guardedDeps(
          {
            tools: [{ ...ECHO, declared: { mutation } }],
            retry: { maxAttempts: 5, baseDelayMs: 5, maxDelayMs: 20, codes: ['DEADLINE_EXCEEDED'] },
            // Ignores its signal, and takes longer than every deadline.
            answer: async () => {
              await pause(400);
              return ECHO_RESULT;
            },
          },
          { maxConcurrent },
        );
        const deadline = Date.now() + budget;
        const outcomes = await Promise.all(
          Array.from({ length: calls }, async (_, n) => {
            const outcome = await call({ deadline, ...(isKeyed && { idempotencyKey: `k-${n % 2}` }) });
            return { outcome, late: Date.now() - deadline };
          }),
        );
        for (const { outcome, late } of outcomes) {
          worst = Math.max(worst, late);
          expect(late).toBeLessThanOrEqual(SLACK_MS);
          // A call that waits for the key of another one is refused a little earlier.
          expect(['DEADLINE_EXCEEDED', 'CONFLICT']).toContain(codeOf(outcome).split(' ')[0]);
        }
      }),
      { numRuns: 25 },
    );
    console.info(`answered at most ${worst} ms after the deadline`);
  });
});
