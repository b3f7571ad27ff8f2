import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ECHO,
  NAMESPACE,
  type RecordingDepsOptions,
  recordingDeps,
  SAID,
  type SendParts,
  send,
  type UpstreamCall,
} from '../../../test/recording-deps.ts';
import { loadConfig } from '../../app/config/load.ts';
import { createCallControls } from '../../app/wiring/call-controls.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
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

const ROOMY: GuardOptions = { maxConcurrent: 64, maxQueued: 64, failureThreshold: 3, resetTimeoutMs: 1_000 };
const HANG_MS = 20_000;
const PATIENT = new AbortController().signal;

/** Runs work that is the upstream's from its start. */
function run<Result>(
  guard: UpstreamGuard,
  options: GuardedRun,
  work: () => Promise<Result>,
): Promise<Result> {
  return guard.run(options, (clock) => clock.measure(work()));
}

function guardWith(options: Partial<GuardOptions> = {}): UpstreamGuard {
  return new UpstreamGuard(NAMESPACE, { ...ROOMY, ...options });
}

/** What one call came to: what its work gave, or why it failed. */
async function resultOf(running: Promise<unknown>): Promise<unknown> {
  return running.catch((thrown) => thrown);
}

const failing = (thrown: unknown) => async (): Promise<never> => {
  throw thrown;
};
const away = () => new Fault('UPSTREAM_UNAVAILABLE', 'away');

async function failOften(guard: UpstreamGuard, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await resultOf(run(guard, { signal: PATIENT }, failing(away())));
}

function codeOf(outcome: Outcome): string {
  return outcome.status === 'failed'
    ? [outcome.error.code, outcome.error.variant].filter(Boolean).join(' ')
    : outcome.status;
}

describe('the circuit', () => {
  const COUNTED = ['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED'] as const;

  it.each(COUNTED)(
    'opens after so many answers of %s in a row, and then asks the upstream nothing',
    async (code) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const guard = guardWith();
      const fault = new Fault(code, 'no');
      for (let i = 0; i < 3; i++) {
        expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
        expect(await resultOf(run(guard, { signal: PATIENT }, failing(fault)))).toBe(fault);
      }
      expect(guard.state).toEqual({ circuit: 'open', running: 0, queued: 0 });
      const work = vi.fn(async () => 'answer');
      const refused = await resultOf(run(guard, { signal: PATIENT }, work));
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
      expect(await resultOf(run(guard, { signal: PATIENT }, work))).toMatchObject({ retryAfterMs: 600 });
    },
  );

  it.each(ERROR_CODES.filter((code) => !COUNTED.some((counted) => counted === code)))(
    'stays closed whatever number of tools refuse with %s',
    async (code) => {
      const guard = guardWith();
      for (let i = 0; i < 10; i++)
        await resultOf(run(guard, { signal: PATIENT }, failing(new Fault(code, 'no'))));
      expect(guard.state.circuit).toBe('closed');
    },
  );

  it('stays closed whatever number of callers cancel, of tools break, and of tools report an error', async () => {
    const guard = guardWith();
    const cancelled = new Fault('DEADLINE_EXCEEDED', 'gone', { variant: 'cancelled' });
    for (let i = 0; i < 10; i++) {
      await resultOf(run(guard, { signal: PATIENT }, failing(cancelled)));
      await resultOf(run(guard, { signal: PATIENT }, failing(new TypeError('x'))));
      await resultOf(run(guard, { signal: PATIENT }, async () => ({ content: [], isError: true })));
    }
    expect(guard.state.circuit).toBe('closed');
  });

  it('counts failureThreshold in a row: an answer in between begins anew', async () => {
    const guard = guardWith();
    for (let i = 0; i < 5; i++) {
      await failOften(guard, 2);
      expect(await run(guard, { signal: PATIENT }, async () => 'answer')).toBe('answer');
    }
    expect(guard.state.circuit).toBe('closed');
    await failOften(guard, 3);
    expect(guard.state.circuit).toBe('open');
  });

  const FAIR_MS = 500;
  const forgotten = () => new Promise<never>(() => {});
  const deadline = () => new Fault('DEADLINE_EXCEEDED', 'late');
  const cancelled = () => new Fault('DEADLINE_EXCEEDED', 'gone', { variant: 'cancelled' });

  const waitsFor = (work: () => Promise<unknown>) => (clock: UpstreamClock) => clock.measure(work());

  interface Ending {
    readonly work: (clock: UpstreamClock) => Promise<unknown>;
    readonly sign: 'success' | 'failure' | 'ignored';
    /** Where the work never ends: when the caller's signal ends it, and with which reason. */
    readonly signal?: { readonly afterMs: number; readonly reason: () => unknown };
  }
  const ENDINGS: Readonly<Record<string, Ending>> = {
    answers: { work: waitsFor(async () => 'answer'), sign: 'success' },
    'reports an error': { work: waitsFor(async () => ({ content: [], isError: true })), sign: 'success' },
    refuses: { work: waitsFor(failing(new Fault('UPSTREAM_FAILURE', 'no'))), sign: 'success' },
    'is away': { work: waitsFor(failing(away())), sign: 'failure' },
    'reports that it is late': { work: waitsFor(failing(deadline())), sign: 'failure' },
    hangs: { work: waitsFor(forgotten), sign: 'failure', signal: { afterMs: FAIR_MS, reason: deadline } },
    'had too little time': {
      work: waitsFor(forgotten),
      sign: 'ignored',
      signal: { afterMs: FAIR_MS - 1, reason: deadline },
    },
    'loses its caller': {
      work: waitsFor(forgotten),
      sign: 'ignored',
      signal: { afterMs: FAIR_MS, reason: cancelled },
    },
    'has a caller that leaves for another reason': {
      work: waitsFor(forgotten),
      sign: 'ignored',
      signal: { afterMs: FAIR_MS, reason: () => new Error('bored') },
    },
    breaks: { work: waitsFor(failing(new TypeError('x'))), sign: 'ignored' },
    'is not called because the gateway fails': { work: failing(away()), sign: 'ignored' },
    'is not called because the gateway hangs': {
      work: forgotten,
      sign: 'ignored',
      signal: { afterMs: FAIR_MS, reason: deadline },
    },
    'hangs after the gateway was slow': {
      work: async (clock) => {
        vi.advanceTimersByTime(FAIR_MS);
        return clock.measure(forgotten());
      },
      sign: 'failure',
      signal: { afterMs: FAIR_MS, reason: deadline },
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
        how: fc.oneof(fc.constantFrom('is away', 'hangs'), fc.constantFrom(...Object.keys(ENDINGS))),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 1_500 }) }),
    },
  );

  it('goes closed → open → half open → closed or open as a model of it does, whatever hangs or leaves', async () => {
    vi.useFakeTimers();
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(steps, { minLength: 5, maxLength: 40 }),
        async (failureThreshold, sequence) => {
          const guard = guardWith({ failureThreshold });
          let inARow = 0;
          let openSince: number | undefined;
          // Until when an upstream that never let go keeps the place of its call.
          const kept: number[] = [];
          for (const step of sequence) {
            if (step.kind === 'wait') {
              await vi.advanceTimersByTimeAsync(step.ms);
              continue;
            }
            const { work, sign, signal } = ENDINGS[step.how]!;
            const isTrial = openSince !== undefined && Date.now() - openSince >= ROOMY.resetTimeoutMs;
            const during: string[] = [];
            const leaving = new AbortController();
            const running = resultOf(
              guard.run({ signal: leaving.signal, minWaitToBlameMs: FAIR_MS }, (clock) => {
                during.push(guard.state.circuit);
                return work(clock);
              }),
            );
            if (signal && during.length > 0) {
              await vi.advanceTimersByTimeAsync(signal.afterMs);
              leaving.abort(signal.reason());
              kept.push(Date.now() + SLOT_GRACE_MS);
            }
            await running;
            if (openSince !== undefined && !isTrial) expect(during).toEqual([]);
            else {
              expect(during).toEqual([isTrial ? 'half_open' : 'closed']);
              if (sign === 'success') inARow = 0;
              if (sign === 'failure') inARow++;
              if (isTrial && sign === 'success') openSince = undefined;
              if (sign === 'failure' && (isTrial || inARow >= failureThreshold)) openSince = Date.now();
            }
            const expected = openSince === undefined ? 'closed' : 'open';
            const held = kept.filter((until) => until > Date.now()).length;
            expect(guard.state).toEqual({ circuit: expected, running: held, queued: 0 });
            seen.add(`${during[0] ?? 'none'} → ${expected} (${during[0] ? sign : 'not asked'})`);
          }
          vi.clearAllTimers();
        },
      ),
      { numRuns: 300 },
    );
    expect([...seen].sort()).toEqual([
      'closed → closed (failure)',
      'closed → closed (ignored)',
      'closed → closed (success)',
      'closed → open (failure)',
      'half_open → closed (success)',
      'half_open → open (failure)',
      'half_open → open (ignored)',
      'none → open (not asked)',
    ]);
  });

  it('heals whatever its callers do: one tries at a time, nobody waits past its signal, and no place is lost', async () => {
    vi.useFakeTimers();
    const caller = fc.record({
      arrives: fc.integer({ min: 0, max: 6_000 }),
      patience: fc.integer({ min: 1, max: 2_000 }),
      isDeaf: fc.boolean(),
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
          const late: number[] = [];
          let trying = 0;
          const work = (signal: AbortSignal, isDeaf: boolean) => async () => {
            const isTrial = guard.state.circuit === 'half_open';
            if (isTrial) expect(++trying).toBe(1);
            if (isTrial) trials++;
            signal.addEventListener('abort', () => (trying -= Number(isTrial)), { once: true });
            // Well again after a while; until then it hangs, and may or may not hear that its caller has left.
            if (Date.now() - start >= 4_000) {
              trying -= Number(isTrial);
              return 'success';
            }
            if (isDeaf) return forgotten();
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
            throw signal.reason;
          };
          for (const { arrives, patience, isDeaf, cancels } of callers) {
            setTimeout(async () => {
              const leaving = new AbortController();
              const end = Date.now() + patience;
              setTimeout(() => leaving.abort(cancels ? cancelled() : deadline()), patience);
              await resultOf(
                run(
                  guard,
                  { signal: leaving.signal, minWaitToBlameMs: FAIR_MS },
                  work(leaving.signal, isDeaf),
                ),
              );
              late.push(Date.now() - end);
            }, arrives);
          }
          await vi.advanceTimersByTimeAsync(10_000 + SLOT_GRACE_MS);
          expect(late).toHaveLength(callers.length);
          expect(Math.max(...late)).toBeLessThanOrEqual(0);
          expect(guard.state).toMatchObject({ running: 0, queued: 0 });
          expect(await run(guard, { signal: PATIENT }, async () => 'healed')).toBe('healed');
          expect(guard.state.circuit).toBe('closed');
          vi.clearAllTimers();
        },
      ),
      { numRuns: 150 },
    );
    // Or nobody was ever alone with it.
    expect(trials).toBeGreaterThan(10);
  });

  it('opens for those who wait in line too', async () => {
    const guard = guardWith({ failureThreshold: 1, maxConcurrent: 1 });
    const first = Promise.withResolvers<string>();
    const failed = resultOf(run(guard, { signal: PATIENT }, () => first.promise));
    const work = vi.fn(async () => 'second');
    const second = resultOf(run(guard, { signal: PATIENT }, work));
    expect(guard.state).toEqual({ circuit: 'closed', running: 1, queued: 1 });
    first.reject(away());
    await failed;
    expect(await second).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', effect: 'none' });
    expect(work).not.toHaveBeenCalled();
    expect(guard.state).toEqual({ circuit: 'open', running: 0, queued: 0 });
  });

  describe('after its rest', () => {
    async function onTrial() {
      vi.useFakeTimers({ toFake: ['Date'] });
      const guard = guardWith({ failureThreshold: 1 });
      await failOften(guard, 1);
      vi.setSystemTime(Date.now() + 1_000);
      const trial = Promise.withResolvers<string>();
      const answer = resultOf(run(guard, { signal: PATIENT }, () => trial.promise));
      expect(guard.state).toEqual({ circuit: 'half_open', running: 1, queued: 0 });
      const work = vi.fn(async () => 'second');
      const leaving = new AbortController();
      const second = resultOf(run(guard, { signal: leaving.signal }, work));
      await nextTurn();
      expect(work).not.toHaveBeenCalled();
      return { guard, trial, answer, second, work, leaving };
    }

    it('lets one call try, and the others follow when it is answered', async () => {
      const { guard, trial, answer, second, work } = await onTrial();
      trial.resolve('first');
      expect(await answer).toBe('first');
      expect(await second).toBe('second');
      expect(work).toHaveBeenCalledOnce();
      expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
    });

    it('refuses the others when the one that tried has failed, and rests again', async () => {
      const { guard, trial, answer, second, work } = await onTrial();
      trial.reject(away());
      expect(await answer).toMatchObject({ message: 'away' });
      expect(await second).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', effect: 'none' });
      expect(work).not.toHaveBeenCalled();
      expect(guard.state.circuit).toBe('open');
      vi.setSystemTime(Date.now() + 999);
      expect(await resultOf(run(guard, { signal: PATIENT }, async () => 'too soon'))).toBeInstanceOf(Fault);
      vi.setSystemTime(Date.now() + 1);
      expect(await run(guard, { signal: PATIENT }, async () => 'now')).toBe('now');
    });

    it('answers a caller who leaves while another one tries, at once', async () => {
      const { guard, second, work, leaving } = await onTrial();
      const reason = new Fault('DEADLINE_EXCEEDED', 'gone', { variant: 'cancelled' });
      leaving.abort(reason);
      expect(await second).toBe(reason);
      expect(work).not.toHaveBeenCalled();
      expect(guard.state).toEqual({ circuit: 'half_open', running: 1, queued: 0 });
    });

    it('never runs a call whose caller left while the other one tried', async () => {
      const { trial, answer, second, work, leaving } = await onTrial();
      const reason = new Fault('DEADLINE_EXCEEDED', 'gone', { variant: 'cancelled' });
      leaving.abort(reason);
      trial.resolve('first');
      await answer;
      expect(await second).toBe(reason);
      expect(work).not.toHaveBeenCalled();
    });
  });
});

describe('the line', () => {
  it('never runs more at a time than it may, keeps the order, and never runs who left: as a model of it does', async () => {
    const step = fc.record({
      what: fc.constantFrom('start', 'start', 'start', 'finish', 'fail', 'leave line', 'abandon'),
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
          const left: number[] = [];
          const work = new Map<number, PromiseWithResolvers<void>>();
          const leaving = new Map<number, AbortController>();
          let next = 0;
          // The model: who runs, who waits in which order, whose caller has left.
          const model = {
            running: [] as number[],
            line: [] as number[],
            started: [] as number[],
            refused: [] as number[],
          };
          const gone = new Set<number>();
          const advance = (): void => {
            while (model.running.length < maxConcurrent && model.line.length > 0) {
              const who = model.line.shift()!;
              model.running.push(who);
              model.started.push(who);
            }
          };
          for (const { what, which } of sequence) {
            if (what === 'start') {
              const who = next++;
              const done = Promise.withResolvers<void>();
              const controller = new AbortController();
              work.set(who, done);
              leaving.set(who, controller);
              void run(guard, { signal: controller.signal }, () => {
                started.push(who);
                return done.promise;
              }).catch((thrown) => {
                if (thrown === controller.signal.reason) left.push(who);
                else if (thrown instanceof Fault && thrown.message.includes('queued')) refused.push(who);
              });
              if (model.running.length + model.line.length < maxConcurrent + maxQueued) model.line.push(who);
              else model.refused.push(who);
            } else if (what === 'leave line' || what === 'abandon') {
              // Who leaves the line makes room in it; what runs keeps its place until it is really over.
              const among = what === 'abandon' ? model.running : model.line;
              const who = among.filter((one) => !gone.has(one))[which % (among.length || 1)];
              if (who === undefined) continue;
              gone.add(who);
              if (what === 'leave line') model.line.splice(model.line.indexOf(who), 1);
              leaving.get(who)!.abort(new Error(`${who} left`));
            } else {
              const who = model.running[which % (model.running.length || 1)];
              if (who === undefined) continue;
              model.running.splice(model.running.indexOf(who), 1);
              if (what === 'finish') work.get(who)!.resolve();
              else work.get(who)!.reject(new Fault('UPSTREAM_FAILURE', 'no'));
            }
            advance();
            await nextTurn();
            expect(started).toEqual(model.started);
            expect(refused).toEqual(model.refused);
            expect(guard.state).toEqual({
              circuit: 'closed',
              running: model.running.length,
              queued: model.line.length,
            });
            expect(guard.state.running).toBeLessThanOrEqual(maxConcurrent);
            expect(guard.state.queued).toBeLessThanOrEqual(maxQueued);
          }
          for (const done of work.values()) done.resolve();
          await nextTurn();
          expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
          expect(left.sort()).toEqual([...gone].sort());
        },
      ),
      { numRuns: 150 },
    );
  });

  it('refuses beyond its end in words of its own, and that is no failure of the upstream', async () => {
    const guard = guardWith({ maxConcurrent: 1, maxQueued: 1, failureThreshold: 1 });
    const first = Promise.withResolvers<string>();
    const answers = [
      run(guard, { signal: PATIENT }, () => first.promise),
      run(guard, { signal: PATIENT }, async () => 'second'),
    ];
    for (let i = 0; i < 3; i++) {
      const refused = await resultOf(run(guard, { signal: PATIENT }, async () => 'third'));
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

  it('never begins what had its end before it came', async () => {
    const guard = guardWith({ failureThreshold: 1 });
    const reason = new Fault('DEADLINE_EXCEEDED', 'late');
    const work = vi.fn(async () => 'answer');
    expect(await resultOf(run(guard, { signal: AbortSignal.abort(reason) }, work))).toBe(reason);
    expect(work).not.toHaveBeenCalled();
    expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
  });
});

describe('each upstream has a guard of its own', () => {
  const upstream = {
    command: 'true',
    circuitBreaker: { failureThreshold: 2, resetTimeoutMs: 60_000 },
  };
  const config = loadConfig({ settings: { upstreams: { one: upstream, two: upstream } } });

  it('so that the trouble of one is not the trouble of another', async () => {
    const { guard } = createCallControls(config);
    await failOften(guard('one'), 2);
    expect(guard('one').state.circuit).toBe('open');
    expect(guard('two').state.circuit).toBe('closed');
    expect(await guard('two').run({ signal: PATIENT }, async () => 'answer')).toBe('answer');
  });

  it('with the numbers of the config; native tools have room', async () => {
    const narrow = { ...upstream, maxConcurrent: 1, maxQueued: 1 };
    const { guard } = createCallControls(loadConfig({ settings: { upstreams: { one: narrow } } }));
    const never = () => new Promise<never>(() => {});
    for (let i = 0; i < 2; i++) void guard('one').run({ signal: PATIENT }, never);
    await expect(guard('one').run({ signal: PATIENT }, never)).rejects.toThrow('Too many calls are queued');
    for (let i = 0; i < 500; i++) void guard('native').run({ signal: PATIENT }, never);
    expect(guard('native').state).toEqual({ circuit: 'closed', running: 500, queued: 0 });
  });
});

/** A deps with a guard of the test's choosing. */
function guarded(options: RecordingDepsOptions, limits: Partial<GuardOptions>) {
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

describe('a call', () => {
  it('to an upstream that is left alone is refused without being sent, with one receipt, and its key stays free', async () => {
    let isAway = true;
    const { call, calls, receipts } = guarded(
      {
        answer: async () => {
          if (isAway) throw away();
          return SAID;
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
    isAway = false;
    vi.setSystemTime(Date.now() + 60_000);
    expect(codeOf(await call({ idempotencyKey: 'k' }))).toBe('ok');
  });

  it('that waits in line past its deadline is answered then, never runs, and its key stays free', async () => {
    const first = Promise.withResolvers<ToolResult>();
    const { call, calls, guard } = guarded(
      { answer: () => (calls.length === 1 ? first.promise : Promise.resolve(SAID)) },
      { maxConcurrent: 1 },
    );
    const running = call();
    await expect.poll(() => calls.length, { timeout: HANG_MS }).toBe(1);
    const late = call({ deadline: Date.now() + 500, idempotencyKey: 'k' });
    const leaving = new AbortController();
    const gone = call({ signal: leaving.signal, idempotencyKey: 'l' });
    await expect
      .poll(() => guard.state, { timeout: HANG_MS })
      .toEqual({ circuit: 'closed', running: 1, queued: 2 });
    leaving.abort();
    expect(codeOf(await gone)).toBe('DEADLINE_EXCEEDED cancelled');
    expect(codeOf(await late)).toBe('DEADLINE_EXCEEDED');
    first.resolve(SAID);
    expect(codeOf(await running)).toBe('ok');
    await nextTurn();
    expect(calls).toHaveLength(1);
    expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
    // Nothing was intended under these keys.
    for (const idempotencyKey of ['k', 'l']) expect(codeOf(await call({ idempotencyKey }))).toBe('ok');
    expect(calls).toHaveLength(3);
  });

  it('holds its place until the upstream has really let go of it, however early its caller was answered', async () => {
    const deaf = Promise.withResolvers<ToolResult>();
    const { call, calls, guard } = guarded({ answer: () => deaf.promise }, { maxConcurrent: 1 });
    expect(codeOf(await call({ deadline: Date.now() + 300 }))).toBe('DEADLINE_EXCEEDED');
    expect(guard.state.running).toBe(1);
    expect(codeOf(await call({ deadline: Date.now() + 300 }))).toBe('DEADLINE_EXCEEDED');
    expect(calls).toHaveLength(1);
    deaf.resolve(SAID);
    await nextTurn();
    expect(guard.state).toEqual({ circuit: 'closed', running: 0, queued: 0 });
  });
});

describe('an upstream that hangs', () => {
  const reads = (timeoutClass: TimeoutClass) => [
    { ...ECHO, declared: { mutation: 'read_only', timeoutClass } } as const,
  ];
  const never = () => new Promise<never>(() => {});

  it.each(TIMEOUT_CLASSES)(
    'is left alone like one that is away, where its tools are %s',
    async (timeoutClass) => {
      vi.useFakeTimers();
      const { call, calls, guard } = guarded(
        { tools: reads(timeoutClass), answer: never },
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
    ['is blamed where it had a second', 1_000, 'open'],
    ['is not blamed where it had less', 999, 'closed'],
  ])('%s of a caller in a hurry', async (_, budget, expected) => {
    vi.useFakeTimers();
    const { call, guard } = guarded({ tools: reads('standard'), answer: never }, { failureThreshold: 1 });
    void call({ deadline: Date.now() + budget });
    await vi.advanceTimersByTimeAsync(budget);
    expect(guard.state.circuit).toBe(expected);
  });
});

describe('trouble of our own', () => {
  it('says nothing of the upstream, on trial or not', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { deps, guard, calls } = guarded({ answer: failing(away()) }, { failureThreshold: 1 });
    const recordIntent = vi.fn(deps.idempotency.recordIntent);
    // Or claim and intent would be one step.
    Object.defineProperty(guard, 'hasFreeSlot', { get: () => false });
    const call = (idempotencyKey: string) =>
      send({ ...deps, idempotency: { ...deps.idempotency, recordIntent } }, { idempotencyKey });
    recordIntent.mockRejectedValueOnce(new Error('disk'));
    expect(codeOf(await call('a'))).toBe('INTERNAL_TOOL_ERROR');
    expect(guard.state.circuit).toBe('closed');
    await call('b');
    expect(guard.state.circuit).toBe('open');
    vi.setSystemTime(Date.now() + ROOMY.resetTimeoutMs);
    recordIntent.mockRejectedValueOnce(new Error('disk'));
    expect(codeOf(await call('c'))).toBe('INTERNAL_TOOL_ERROR');
    expect(calls).toHaveLength(1);
    expect(guard.state).toEqual({ circuit: 'open', running: 0, queued: 0 });
    // The next one may try at once.
    await call('d');
    expect(calls).toHaveLength(2);
  });
});

describe('the deadline fires even when the upstream ignores it', () => {
  it('nothing begins after the deadline, behind whatever line and between whatever attempts', async () => {
    vi.useFakeTimers();
    const caller = fc.record({
      arrives: fc.integer({ min: 0, max: 2_000 }),
      budget: fc.integer({ min: 1, max: 2_000 }),
      works: fc.integer({ min: 0, max: 1_500 }),
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
          const begun: { at: number; deadline: number }[] = [];
          const { call, receipts } = guarded(
            {
              tools: [{ ...ECHO, declared: { idempotent: true } }],
              retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1, codes: ['UPSTREAM_UNAVAILABLE'] },
              answer: async ({ deadline }: UpstreamCall) => {
                begun.push({ at: Date.now(), deadline });
                expect(++running).toBeLessThanOrEqual(maxConcurrent);
                const { works, fails } = callers[begun.length % callers.length]!;
                if (works > 0) await new Promise((resolve) => setTimeout(resolve, works));
                running--;
                if (fails) throw away();
                return SAID;
              },
            },
            { maxConcurrent, failureThreshold: 1_000 },
          );
          const late: number[] = [];
          for (const { arrives, budget, key } of callers) {
            setTimeout(async () => {
              const deadline = Date.now() + budget;
              await call({ deadline, ...(key !== undefined && { idempotencyKey: key }) });
              late.push(Date.now() - deadline);
            }, arrives);
          }
          await vi.advanceTimersByTimeAsync(10_000);
          expect(late).toHaveLength(callers.length);
          expect(Math.max(...late)).toBeLessThanOrEqual(0);
          for (const { at, deadline } of begun) expect(at - start).toBeLessThanOrEqual(deadline - start);
          expect(receipts).toHaveLength(callers.length);
          vi.clearAllTimers();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('T23: by the real clock, however short it is', async () => {
    const SLACK_MS = 1_000;
    let worst = Number.NEGATIVE_INFINITY;
    const caller = fc.record({
      budget: fc.integer({ min: 1, max: 150 }),
      mutation: fc.constantFrom('read_only', 'write_irreversible'),
      isKeyed: fc.boolean(),
      maxConcurrent: fc.integer({ min: 1, max: 4 }),
      crowd: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(caller, async ({ budget, mutation, isKeyed, maxConcurrent, crowd }) => {
        const { call } = guarded(
          {
            tools: [{ ...ECHO, declared: { mutation } }],
            retry: { maxAttempts: 5, baseDelayMs: 5, maxDelayMs: 20, codes: ['DEADLINE_EXCEEDED'] },
            // Deaf to its signal, and not done before everybody has given up.
            answer: async () => {
              await pause(400);
              return SAID;
            },
          },
          { maxConcurrent },
        );
        const deadline = Date.now() + budget;
        const outcomes = await Promise.all(
          Array.from({ length: crowd }, async (_, n) => {
            const outcome = await call({ deadline, ...(isKeyed && { idempotencyKey: `k-${n % 2}` }) });
            return { outcome, late: Date.now() - deadline };
          }),
        );
        for (const { outcome, late } of outcomes) {
          worst = Math.max(worst, late);
          expect(late).toBeLessThanOrEqual(SLACK_MS);
          // Whoever waited for another's key is told so a moment earlier.
          expect(['DEADLINE_EXCEEDED', 'CONFLICT']).toContain(codeOf(outcome).split(' ')[0]);
        }
      }),
      { numRuns: 25 },
    );
    console.info(`answered at most ${worst} ms after the deadline`);
  });
});
