import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  comparable,
  declaring,
  failing,
  failure,
  HANG_MS,
  keyedDeps,
  never,
  provenanceOf,
  READ_ONLY,
  slowAnswer,
} from '../../../test/keyed-deps.ts';
import { ECHO, ECHO_RESULT, send } from '../../../test/recording-deps.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { describeError, ERROR_CODES } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { ResultCache } from '../upstream/result-cache.ts';

const failWrite = () => Promise.reject(new Error('disk full'));

describe('steps around an effect', () => {
  it('records claim and intent before the effect, and completion after it', async () => {
    const { call, steps, states } = await keyedDeps();
    expect((await call()).status).toBe('ok');
    expect(steps).toEqual(['claim', 'recordIntent', 'effect', 'complete']);
    expect(states()).toEqual(['done']);
  });

  it('records claim and intent in one write when nothing can come between them', async () => {
    const { call, steps, states } = await keyedDeps({ hasFreeSlot: true });
    await call();
    expect(steps).toEqual(['claim', 'effect', 'complete']);
    expect(states()).toEqual(['done']);
  });

  it('has the intent on disk before the effect starts', async () => {
    const during: string[][] = [];
    const { call, states } = await keyedDeps({
      answer: async () => {
        during.push(states());
        return ECHO_RESULT;
      },
    });
    await call();
    await call({ idempotencyKey: undefined });
    expect(during).toEqual([['intended'], ['done', 'intended']]);
  });

  it('records claim and intent in one write for a call without a key, and releases it afterwards', async () => {
    const { deps, steps, states } = await keyedDeps();
    expect((await send(deps)).status).toBe('ok');
    expect(steps).toEqual(['claim', 'effect', 'release']);
    expect(states()).toEqual([]);
  });

  it.each([
    ['the upstream refuses it', failing(new Fault('UPSTREAM_FAILURE', 'no'))],
    ['the upstream certainly did nothing', failing(new Fault('RATE_LIMITED', 'no', { effect: 'none' }))],
    ['the upstream throws an unexpected error', failing(new TypeError('x'))],
    ['the tool reports an error', async () => ({ content: [], isError: true })],
  ])('releases the claim of a write without a key when %s', async (_, answer) => {
    const { deps, steps, states, idempotency } = await keyedDeps({ answer });
    expect((await send(deps)).status).toBe('failed');
    expect(steps).toEqual(['claim', 'effect', 'release']);
    expect(states()).toEqual([]);
    expect(await idempotency.listUnresolved(10)).toEqual([]);
  });

  it('executes two writes without a key twice', async () => {
    const { deps, calls } = await keyedDeps();
    await Promise.all([send(deps), send(deps)]);
    expect(calls).toHaveLength(2);
    expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([undefined, undefined]);
  });

  it('records nothing for a read without a key', async () => {
    const { deps, steps, states } = await keyedDeps(READ_ONLY);
    expect((await send(deps)).status).toBe('ok');
    expect(steps).toEqual(['effect']);
    expect(states()).toEqual([]);
  });

  it('records the same steps for a read with a key as for a write', async () => {
    const { call, steps } = await keyedDeps(READ_ONLY);
    await call();
    await call();
    expect(steps).toEqual(['claim', 'recordIntent', 'effect', 'complete', 'claim']);
  });

  it.each([
    ['invalid arguments', { args: {} }],
    ['a dry run', { dryRun: true }],
    ['a tool that does not exist', { tool: 'shop:gone@1' }],
  ])('records nothing for %s', async (_, more) => {
    const { call, steps, states } = await keyedDeps();
    await call(more);
    expect(steps).toEqual([]);
    expect(states()).toEqual([]);
  });

  it('leaves the key free when the deadline has passed or the caller has disconnected', async () => {
    const { call, steps, states } = await keyedDeps();
    expect(failure(await call({ deadline: 1 })).error.code).toBe('DEADLINE_EXCEEDED');
    expect(failure(await call({ signal: AbortSignal.abort() })).error.code).toBe('CANCELLED');
    expect(steps).toEqual([]);
    expect(states()).toEqual([]);
    expect((await call()).status).toBe('ok');
  });

  it('releases the key when the upstream is no longer configured', async () => {
    const { call, steps } = await keyedDeps({ isConfigured: false });
    expect(failure(await call()).error.code).toBe('UPSTREAM_UNAVAILABLE');
    expect(steps).toEqual(['claim', 'release']);
  });

  it('sends one derived key with every attempt of a call, and never the key of the caller', async () => {
    const faults = [new Fault('UPSTREAM_UNAVAILABLE', 'away', { effect: 'none' })];
    const { call, calls, steps } = await keyedDeps({
      retry: { maxAttempts: 2, baseDelayMs: 0, maxDelayMs: 0, codes: ['UPSTREAM_UNAVAILABLE'] },
      answer: async () => {
        const fault = faults.pop();
        if (fault) throw fault;
        return ECHO_RESULT;
      },
    });
    expect((await call()).status).toBe('ok');
    // The intent is written once, before the first attempt.
    expect(steps).toEqual(['claim', 'recordIntent', 'effect', 'effect', 'complete']);
    const [first, second] = calls;
    expect(first!.idempotencyKey).toMatch(/^[0-9a-f]{64}$/);
    expect(second!.idempotencyKey).toBe(first!.idempotencyKey);
    await call({ idempotencyKey: 'order-42' });
    expect(calls[2]!.idempotencyKey).not.toBe(first!.idempotencyKey);
  });
});

describe('a keyed call that failed', () => {
  it.each(ERROR_CODES)('releases the key after %s without an effect', async (code) => {
    const { call, calls, steps, states } = await keyedDeps({
      answer: failing(new Fault(code, 'no', { effect: 'none' })),
    });
    const first = failure(await call());
    expect(first.error.code).toBe(code);
    expect(steps).toEqual(['claim', 'recordIntent', 'effect', 'release']);
    expect(states()).toEqual([]);
    await call({ args: { message: 'something else' } });
    expect(calls).toHaveLength(2);
  });

  it.each(ERROR_CODES)('marks the outcome unknown after %s with a possible effect', async (code) => {
    const { call, calls, steps, states, idempotency } = await keyedDeps({
      answer: failing(new Fault(code, 'no')),
    });
    const first = failure(await call());
    expect(first.error.code).toBe(code);
    expect(steps).toEqual(['claim', 'recordIntent', 'effect', 'markUnknown']);
    expect(states()).toEqual(['unknown']);
    for (let i = 0; i < 2; i++) {
      const again = failure(await call());
      expect(again.error).toMatchObject({
        code: 'CONFLICT',
        variant: 'unknown',
        retryable: describeError('CONFLICT', 'unknown').retryable,
        details: { unresolved_call: first.callId },
      });
      expect(again.error.retryable).toBe(false);
    }
    expect(calls).toHaveLength(1);
    expect(await idempotency.listUnresolved(10)).toMatchObject([{ receipt: { callId: first.callId } }]);
    // Its caller was answered and its receipt is stored, so it is not reported as a lost call.
    expect(await idempotency.findLost()).toEqual([]);
  });

  it('marks the outcome unknown when the upstream throws an unexpected error', async () => {
    const { call, states } = await keyedDeps({ answer: failing(new TypeError('x is not a function')) });
    expect(failure(await call()).error.code).toBe('INTERNAL_TOOL_ERROR');
    expect(states()).toEqual(['unknown']);
    expect(failure(await call()).error.variant).toBe('unknown');
  });

  it('marks the outcome unknown when the deadline or the caller ends a call that was sent', async () => {
    const { call, states } = await keyedDeps({ answer: never });
    expect(failure(await call({ deadline: Date.now() + 500 })).error.code).toBe('DEADLINE_EXCEEDED');
    expect(failure(await call()).error.variant).toBe('unknown');
    const disconnect = new AbortController();
    const other = call({ idempotencyKey: 'order-42', signal: disconnect.signal });
    await expect.poll(states, { timeout: HANG_MS }).toEqual(['unknown', 'intended']);
    disconnect.abort();
    expect(failure(await other).error.code).toBe('CANCELLED');
    expect(states()).toEqual(['unknown', 'unknown']);
  });
});

describe('a process that was paused for longer than its lease', () => {
  const RETRY_ONCE = {
    maxAttempts: 2,
    baseDelayMs: 0,
    maxDelayMs: 0,
    codes: ['UPSTREAM_UNAVAILABLE'],
  } as const;
  const undelivered = failing(new Fault('UPSTREAM_UNAVAILABLE', 'away', { effect: 'none' }));

  it.each([
    ['before its first send, with the intent in the claim', { hasFreeSlot: true, sends: 0 }],
    ['before its first send, with an intent of its own', { hasFreeSlot: false, sends: 0 }],
    ['between two attempts', { hasFreeSlot: true, sends: 1 }],
  ])('sends nothing more when it lost the key %s', async (_, { hasFreeSlot, sends }) => {
    let confirmed = 0;
    const confirm = async (): Promise<boolean> => confirmed++ < sends;
    const { call, calls, steps, states } = await keyedDeps({
      hasFreeSlot,
      retry: RETRY_ONCE,
      answer: undelivered,
      storeOverrides: { confirm },
    });
    expect(failure(await call()).error).toMatchObject({ code: 'CONFLICT', retryable: true });
    expect(calls).toHaveLength(sends);
    expect(steps.at(-1)).toBe('release');
    expect(states()).toEqual([]);
  });

  it('sends nothing when the store does not answer whether it still has the key', async () => {
    const { call, calls } = await keyedDeps({ hasFreeSlot: true, storeOverrides: { confirm: failWrite } });
    expect((await call()).status).toBe('failed');
    expect(calls).toEqual([]);
  });
});

describe('a caller that disconnects', () => {
  /** A connection whose protocol distinguishes a disconnect from a cancellation. */
  function connect() {
    const disconnected = new AbortController();
    const cancelled = new AbortController();
    const signal = AbortSignal.any([disconnected.signal, cancelled.signal]);
    return {
      handles: { signal, cancelled: cancelled.signal },
      disconnect: () => disconnected.abort(),
      cancel: () => cancelled.abort(),
    };
  }

  it('does not end its keyed call, whose result is replayed to the next call', async () => {
    const slow = slowAnswer();
    const connection = connect();
    const { call, calls, states } = await keyedDeps({ answer: slow.answer });
    const first = call(connection.handles);
    await slow.started;
    connection.disconnect();
    const again = call();
    await pause(30);
    expect([calls[0]!.signal.aborted, states()]).toEqual([false, ['intended']]);
    slow.finish();
    const outcome = await first;
    expect(outcome.status).toBe('ok');
    expect(comparable(await again)).toEqual(comparable(outcome));
    expect(provenanceOf(await again)).toMatchObject({ source: 'replay', replayOf: outcome.callId });
    expect(calls).toHaveLength(1);
  });

  it('does not end the read-back of its keyed call', async () => {
    const connection = connect();
    const readBackSignals: string[] = [];
    const { call, calls } = await keyedDeps({
      tools: [
        {
          ...ECHO,
          declared: {
            verification: {
              readBack: {
                tool: 'shop:look@1.0.0',
                args: { message: { value: 'x' } },
                expect: [{ at: '/said', equals: { value: true } }],
              },
            },
          },
        },
        { ...ECHO, name: 'look', declared: { mutation: 'read_only' } },
      ],
      answer: async ({ toolName, signal }) => {
        if (toolName === 'echo') connection.disconnect();
        else readBackSignals.push(signal.aborted ? 'aborted' : 'open');
        return { content: [], structured: { said: true }, isError: false };
      },
    });
    expect((await call(connection.handles)).status).toBe('ok');
    expect(readBackSignals).toEqual(['open']);
    expect(provenanceOf(await call())!.source).toBe('replay');
    expect(calls).toHaveLength(2);
  });

  it('ends its keyed call when it cancels, and the outcome is unknown', async () => {
    const connection = connect();
    const { call, calls, states } = await keyedDeps({ answer: never });
    const first = call(connection.handles);
    await expect.poll(states, { timeout: HANG_MS }).toEqual(['intended']);
    connection.cancel();
    expect(failure(await first).error.code).toBe('CANCELLED');
    expect(states()).toEqual(['unknown']);
    expect([calls[0]!.signal.aborted, calls[0]!.abandonSignal!.aborted]).toEqual([true, true]);
  });

  it('ends its keyed call before the intent is recorded, and the key is released', async () => {
    const connection = connect();
    const claiming = Promise.withResolvers<void>();
    const { call, calls, idempotency, steps, states } = await keyedDeps({
      storeOverrides: {
        claim: async (wanted) => {
          const result = await idempotency.claim(wanted);
          claiming.resolve();
          await pause(30);
          return result;
        },
      },
    });
    const first = call(connection.handles);
    await claiming.promise;
    connection.disconnect();
    expect(failure(await first).error.code).toBe('CANCELLED');
    await expect.poll(() => steps, { timeout: HANG_MS }).toEqual(['claim', 'release']);
    await expect.poll(states, { timeout: HANG_MS }).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('ends its call without a key at once', async () => {
    const connection = connect();
    const { deps, calls, states } = await keyedDeps({ answer: never });
    const first = send(deps, connection.handles);
    await expect.poll(() => calls.length, { timeout: HANG_MS }).toBe(1);
    connection.disconnect();
    expect(failure(await first).error.code).toBe('CANCELLED');
    expect(states()).toEqual([]);
  });
});

describe('an answer after the deadline', () => {
  const in100Ms = () => ({ deadline: Date.now() + 100 });
  /** An answer that the test resolves or rejects. */
  const lateAnswer = () => Promise.withResolvers<ToolResult>();

  it('is stored and replayed to the next call with the key', async () => {
    const late = lateAnswer();
    const { call, calls, states, idempotency } = await keyedDeps({ answer: () => late.promise });
    const first = failure(await call(in100Ms()));
    expect(first.error.code).toBe('DEADLINE_EXCEEDED');
    expect(failure(await call()).error.variant).toBe('unknown');
    expect([calls[0]!.signal.aborted, calls[0]!.abandonSignal!.aborted]).toEqual([true, false]);
    late.resolve(ECHO_RESULT);
    await expect.poll(states, { timeout: HANG_MS }).toEqual(['done']);
    const again = await call();
    expect(again).toMatchObject({ status: 'ok', view: { content: ECHO_RESULT.content } });
    expect(provenanceOf(again)).toMatchObject({ source: 'replay', replayOf: first.callId });
    expect(await idempotency.listUnresolved(10)).toEqual([]);
    expect(calls).toHaveLength(1);
  });

  it('releases the key when it states that there was no effect', async () => {
    const late = lateAnswer();
    const { call, states } = await keyedDeps({ answer: () => late.promise });
    await call(in100Ms());
    expect(states()).toEqual(['unknown']);
    late.reject(new Fault('UPSTREAM_UNAVAILABLE', 'never sent', { effect: 'none' }));
    await expect.poll(states, { timeout: HANG_MS }).toEqual([]);
  });

  it.each([
    ['the upstream became unavailable', new Fault('UPSTREAM_UNAVAILABLE', 'gone')],
    ['the upstream threw an unexpected error', new Error('x')],
  ])('leaves the outcome unknown when %s', async (_, thrown) => {
    const late = lateAnswer();
    const { call, steps, states, idempotency } = await keyedDeps({ answer: () => late.promise });
    await call(in100Ms());
    const isAwaited = async () => (await idempotency.listUnresolved(1)).map((one) => one.isAwaited);
    expect(await isAwaited()).toEqual([true]);
    late.reject(thrown);
    await expect.poll(isAwaited, { timeout: HANG_MS }).toEqual([false]);
    expect(states()).toEqual(['unknown']);
    expect(steps.at(-1)).toBe('markUnknown');
  });

  it('leaves the outcome unknown when only the last of two attempts had no effect', async () => {
    const late = lateAnswer();
    const { call, calls, states } = await keyedDeps({
      ...declaring({ idempotent: true }),
      retry: { maxAttempts: 2, baseDelayMs: 0, maxDelayMs: 0, codes: ['UPSTREAM_UNAVAILABLE'] },
      answer: () =>
        calls.length === 1 ? failing(new Fault('UPSTREAM_UNAVAILABLE', 'gone'))() : late.promise,
    });
    await call({ deadline: Date.now() + 300 });
    expect(calls).toHaveLength(2);
    late.reject(new Fault('UPSTREAM_UNAVAILABLE', 'never sent', { effect: 'none' }));
    await pause(30);
    expect(states()).toEqual(['unknown']);
  });

  it('leaves the outcome unknown where the contract requires verification', async () => {
    const late = lateAnswer();
    const readBack = { tool: 'shop:look@1.0.0', args: { message: { value: 'x' } } };
    const { call, states } = await keyedDeps({
      tools: [
        { ...ECHO, declared: { verification: { readBack: { ...readBack, expect: [] } } } },
        { ...ECHO, name: 'look', declared: { mutation: 'read_only' } },
      ],
      answer: () => late.promise,
    });
    await call(in100Ms());
    late.resolve(ECHO_RESULT);
    await pause(30);
    expect(states()).toEqual(['unknown']);
  });

  it('changes nothing when an operator has released the key and another call holds it', async () => {
    const late = lateAnswer();
    const { call, calls, idempotency } = await keyedDeps({
      answer: () => (calls.length === 1 ? late.promise : Promise.resolve({ ...ECHO_RESULT, content: [] })),
    });
    const { callId } = await call(in100Ms());
    expect(await idempotency.resolve(callId, 'not_executed', '')).toBe(true);
    const second = await call();
    late.resolve(ECHO_RESULT);
    await pause(30);
    const again = await call();
    expect(provenanceOf(again)!.replayOf).toBe(second.callId);
    expect(comparable(again)).toEqual(comparable(second));
  });
});

describe('a result that cannot be stored', () => {
  it('is replaced by an error, for the first call and for every later call with the key', async () => {
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    const { call, calls, states } = await keyedDeps({
      answer: async () => ({ content: [], structured: deep, isError: false }),
    });
    expect(failure(await call()).error).toMatchObject({
      message: expect.stringContaining('nested too deep'),
    });
    expect(states()).toEqual(['done']);
    expect(failure(await call()).error).toMatchObject({
      message: expect.stringContaining('nested too deep'),
    });
    expect(calls).toHaveLength(1);
  });
});

describe('a cached result', () => {
  it('is stored under the key and replayed after the cache has dropped it', async () => {
    let executions = 0;
    const { call, deps, steps } = await keyedDeps({
      ...READ_ONLY,
      cache: new ResultCache({ ttlMs: 1_000, maxEntries: 5 }),
      answer: async () => ({ content: [{ type: 'text', text: String(++executions) }], isError: false }),
    });
    await send(deps);
    const first = await call();
    expect(provenanceOf(first)!.source).toBe('cache');
    await pause(1_100);
    const again = await call();
    expect(comparable(again)).toEqual(comparable(first));
    expect(provenanceOf(again)).toMatchObject({ source: 'replay', replayOf: first.callId });
    expect([executions, steps]).toEqual([1, ['effect', 'claim', 'complete', 'claim']]);
  });
});

/** A passing failure of the gateway: the caller keeps its key, so that an earlier effect is not repeated. */
const STORE_UNAVAILABLE = {
  code: 'UPSTREAM_UNAVAILABLE',
  variant: 'store',
  retryable: true,
  message: expect.stringContaining('Send it again later with the same idempotency key.'),
};

describe('a store that hangs', () => {
  const hang = () => new Promise<never>(() => {});
  /** Long enough for a machine under load; a call that waits for its store would never end. */
  const failIfHanging = <Result>(call: Promise<Result>): Promise<Result> =>
    Promise.race([call, pause(HANG_MS).then(() => Promise.reject(new Error('The call hangs.')))]);

  it('during the claim does not delay the call beyond its deadline, and a late claim is released', async () => {
    const claimNow = Promise.withResolvers<void>();
    const { call, calls, idempotency, states } = await keyedDeps({
      storeOverrides: {
        claim: async (wanted) => {
          await claimNow.promise;
          return idempotency.claim(wanted);
        },
      },
    });
    const first = failure(await failIfHanging(call({ deadline: Date.now() + 100 })));
    expect(first.error).toMatchObject(STORE_UNAVAILABLE);
    claimNow.resolve();
    await expect.poll(async () => (await call()).status, { timeout: HANG_MS }).toBe('ok');
    expect(states()).toEqual(['done']);
    expect(calls).toHaveLength(1);
  });

  it.each(['complete', 'markUnknown', 'release'] as const)(
    'during %s does not keep the outcome from the caller, and the trouble is reported',
    async (what) => {
      const effect = what === 'release' ? 'none' : undefined;
      const { call, events } = await keyedDeps({
        storeOverrides: { [what]: hang },
        ...(what !== 'complete' && { answer: failing(new Fault('RATE_LIMITED', 'slow down', { effect })) }),
      });
      const outcome = await failIfHanging(call());
      expect(outcome.status).toBe(what === 'complete' ? 'ok' : 'failed');
      expect(events.filter(({ type }) => type === 'trouble')).toMatchObject([
        { callId: outcome.callId, what: 'idempotency key not updated' },
      ]);
    },
  );

  it('during the receipt does not keep the outcome from the caller, and the trouble is reported', async () => {
    const { call, events } = await keyedDeps({ append: hang });
    const outcome = await failIfHanging(call());
    expect(outcome.status).toBe('ok');
    expect(events.filter(({ type }) => type === 'trouble')).toMatchObject([
      { callId: outcome.callId, what: 'receipt not stored' },
    ]);
  });
});

describe('a store that fails', () => {
  it('on the receipt: the caller is answered only after the key is completed', async () => {
    const order: string[] = [];
    const { call, idempotency } = await keyedDeps({
      append: failWrite,
      storeOverrides: {
        complete: async (...args) => {
          await pause(50);
          await idempotency.complete(...args);
          order.push('completed');
        },
      },
    });
    expect((await call()).status).toBe('ok');
    order.push('answered');
    expect(order).toEqual(['completed', 'answered']);
  });

  it('after writing the claim: the key is released, because nothing was sent', async () => {
    let isConnectionLost = true;
    const { call, calls, idempotency } = await keyedDeps({
      hasFreeSlot: true,
      storeOverrides: {
        claim: async (wanted) => {
          const result = await idempotency.claim(wanted);
          if (isConnectionLost) throw new Error('the connection was lost after the commit');
          return result;
        },
      },
    });
    expect(failure(await call()).error).toMatchObject(STORE_UNAVAILABLE);
    expect(calls).toEqual([]);
    isConnectionLost = false;
    expect((await call()).status).toBe('ok');
    expect(calls).toHaveLength(1);
  });

  it('on the claim: the call is refused and nothing is sent', async () => {
    const { call, calls, receipts } = await keyedDeps({ storeOverrides: { claim: failWrite } });
    expect(failure(await call()).error).toMatchObject(STORE_UNAVAILABLE);
    expect(calls).toEqual([]);
    expect(receipts).toMatchObject([{ status: 'failed', phase: 'execute', attempts: 0 }]);
  });

  it('on the claim: writes without a key are refused too, and reads pass', async () => {
    const writes = await keyedDeps({ storeOverrides: { claim: failWrite } });
    expect(failure(await send(writes.deps)).error).toMatchObject({
      ...STORE_UNAVAILABLE,
      message: expect.stringMatching(/Send it again later\.$/),
      details: { effect: 'none' },
    });
    expect(writes.calls).toEqual([]);
    const reads = await keyedDeps({ ...READ_ONLY, storeOverrides: { claim: failWrite } });
    expect((await send(reads.deps)).status).toBe('ok');
  });

  it('on the intent: the call is refused, nothing is sent and the key is released', async () => {
    const { call, calls, states, events } = await keyedDeps({ storeOverrides: { recordIntent: failWrite } });
    expect(failure(await call()).error).toMatchObject(STORE_UNAVAILABLE);
    expect(calls).toEqual([]);
    expect(states()).toEqual([]);
    expect(events.filter(({ type }) => type === 'trouble')).toEqual([]);
  });

  it('on completion: the caller gets the result, and the trouble is reported', async () => {
    const { call, calls, events } = await keyedDeps({ storeOverrides: { complete: failWrite } });
    const outcome = await call();
    expect(outcome).toMatchObject({ status: 'ok', view: { content: ECHO_RESULT.content } });
    expect(events.filter(({ type }) => type === 'trouble')).toMatchObject([
      {
        callId: outcome.callId,
        what: 'idempotency key not updated',
        cause: expect.objectContaining({ message: 'disk full' }),
      },
    ]);
    // A call whose completion was not stored must not run again.
    expect(failure(await call({ deadline: Date.now() + 100 })).error.code).toBe('CONFLICT');
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['release', 'none'],
    ['markUnknown', undefined],
  ] as const)(
    'on %s: the caller gets the error of the call, and the trouble is reported',
    async (what, effect) => {
      const { call, events } = await keyedDeps({
        storeOverrides: { [what]: failWrite },
        answer: failing(new Fault('RATE_LIMITED', 'slow down', { effect })),
      });
      const outcome = failure(await call());
      expect(outcome.error).toMatchObject({ code: 'RATE_LIMITED', message: 'slow down' });
      expect(events.filter(({ type }) => type === 'trouble')).toMatchObject([
        { callId: outcome.callId, what: 'idempotency key not updated' },
      ]);
    },
  );

  it('on the intent, because another call took over the key: nothing is sent', async () => {
    const { call, calls, steps } = await keyedDeps({ storeOverrides: { recordIntent: async () => false } });
    expect(failure(await call()).error).toMatchObject({ code: 'CONFLICT', retryable: true });
    expect(calls).toEqual([]);
    expect(steps).toEqual(['claim', 'recordIntent', 'release']);
  });
});
