import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  comparable,
  failing,
  failure,
  HANG_MS,
  keyedDeps,
  provenanceOf,
  slowAnswer,
} from '../../../test/keyed-deps.ts';
import {
  admissionOf,
  ECHO,
  ECHO_ID,
  ECHO_RESULT,
  type SendParts,
  send,
} from '../../../test/recording-deps.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { Rule } from '../../governance/rule.ts';

describe('claimKey after a completed call', () => {
  it('replays the result with the id and time of the call that had the effect', async () => {
    const { call, calls, receipts } = await keyedDeps();
    const first = await call();
    const again = await call();
    expect(comparable(again)).toEqual(comparable(first));
    expect(calls).toHaveLength(1);
    expect(provenanceOf(first)).toEqual({
      toolId: ECHO_ID,
      version: '1.0.0',
      upstream: 'shop',
      source: 'compute',
      executedAt: expect.any(String),
    });
    expect(provenanceOf(again)).toEqual({
      ...provenanceOf(first),
      source: 'replay',
      replayOf: first.callId,
    });
    expect(again.callId).not.toBe(first.callId);
    expect(receipts).toMatchObject([
      { callId: first.callId, status: 'ok', source: 'compute', attempts: 1, idempotencyKey: 'order-41' },
      { callId: again.callId, status: 'ok', source: 'replay', attempts: 0, idempotencyKey: 'order-41' },
    ]);
  });

  it('names the call that had the effect in every later replay', async () => {
    const { call, calls } = await keyedDeps();
    const first = await call();
    for (let i = 0; i < 3; i++) expect(provenanceOf(await call())!.replayOf).toBe(first.callId);
    expect(calls).toHaveLength(1);
  });

  it('replays for the same arguments in another order', async () => {
    const { call, calls } = await keyedDeps();
    await call({ args: { message: 'hello', times: 2 } });
    const again = await call({ args: { times: 2, message: 'hello' } });
    expect(provenanceOf(again)!.source).toBe('replay');
    expect(calls).toHaveLength(1);
  });

  it('replays when the tool is named by its path', async () => {
    const { call, calls } = await keyedDeps();
    await call();
    expect(provenanceOf(await call({ tool: '/shop/echo' }))!.source).toBe('replay');
    expect(calls).toHaveLength(1);
  });

  it('replays after a schema change that changed the tool id', async () => {
    const unversioned = { ...ECHO, version: undefined };
    const changed = {
      ...unversioned,
      inputSchema: { type: 'object', properties: { message: { type: 'string' }, loud: { type: 'boolean' } } },
    };
    const { call, calls, catalog } = await keyedDeps({ tools: [unversioned] });
    const [before] = catalog.snapshot.contracts;
    const first = await call({ tool: before!.id });
    const [after] = catalog.replace(admissionOf([changed])).contracts;
    expect(after!.id).not.toBe(before!.id);
    const again = await call({ tool: after!.id });
    expect(comparable(again)).toEqual(comparable(first));
    expect(provenanceOf(again)).toMatchObject({
      toolId: after!.id,
      source: 'replay',
      replayOf: first.callId,
    });
    expect(calls).toHaveLength(1);
  });

  it('replays an error that the tool reported', async () => {
    const answer = async (): Promise<ToolResult> => ({
      content: [{ type: 'text', text: 'card declined' }],
      isError: true,
    });
    const { call, calls, receipts, states } = await keyedDeps({ answer });
    const first = failure(await call());
    expect(states()).toEqual(['done']);
    const again = failure(await call());
    expect(comparable(again)).toEqual(comparable(first));
    expect(again).toMatchObject({
      error: { code: 'UPSTREAM_FAILURE', variant: 'tool' },
      view: { content: [{ text: 'card declined' }] },
      provenance: { source: 'replay', replayOf: first.callId },
    });
    expect(calls).toHaveLength(1);
    expect(receipts[1]).toMatchObject({ status: 'failed', errorCode: 'UPSTREAM_FAILURE', source: 'replay' });
  });

  it('replays the error of a result that does not match its output schema', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const { call, calls } = await keyedDeps({
      tools: [{ ...ECHO, outputSchema }],
      answer: async () => ({ content: [], structured: { n: 'seven' }, isError: false }),
    });
    const first = failure(await call());
    expect(first.error.code).toBe('INTERNAL_TOOL_ERROR');
    expect(comparable(await call())).toEqual(comparable(first));
    expect(calls).toHaveLength(1);
  });

  it('replays the same summary and handles for a long result', async () => {
    const long = Array.from({ length: 4_000 }, (_, i) => `line ${i} of a long text`).join('\n');
    const { call, calls, stored } = await keyedDeps({
      countTokens: (text) => Math.ceil(text.length / 4),
      thresholdTokens: 2_000,
      answer: async () => ({
        content: [{ type: 'text', text: long }],
        structured: { rows: [1, 2, 3] },
        isError: false,
      }),
    });
    const first = await call();
    const again = await call();
    expect(first).toMatchObject({
      status: 'ok',
      view: { kind: 'summary', artifacts: expect.arrayContaining([expect.anything()]) },
    });
    expect(comparable(again)).toEqual(comparable(first));
    expect(calls).toHaveLength(1);
    const handles = stored.map(({ handle }) => handle);
    expect(handles.slice(handles.length / 2)).toEqual(handles.slice(0, handles.length / 2));
  });

  it('executes again after the idempotency window', async () => {
    const { deps, idempotency, calls } = await keyedDeps();
    // No contract has a window as short as this.
    const claim: typeof idempotency.claim = (wanted) => idempotency.claim({ ...wanted, windowMs: 60 });
    const call = (more?: SendParts): Promise<Outcome> =>
      send({ ...deps, idempotency: { ...idempotency, claim } }, { idempotencyKey: 'order-41', ...more });
    const first = await call();
    expect(provenanceOf(await call())!.source).toBe('replay');
    await pause(150);
    const later = await call({ args: { message: 'something else' } });
    expect(provenanceOf(later)!.source).toBe('compute');
    expect(later.callId).not.toBe(first.callId);
    expect(calls).toHaveLength(2);
  });
});

describe('scope of a key', () => {
  it.each([
    ['another caller', { principal: { ...LOCAL_USER, id: 'somebody-else' } }],
    ['another tenant', { principal: { ...LOCAL_USER, tenant: 'acme' } }],
    ['another session of the caller', { sessionId: 's2' }],
    ['a call without a session', { sessionId: undefined }],
    ['another tool', { tool: 'shop:shout@1.0.0' }],
    ['another key', { idempotencyKey: 'order-42' }],
    ['a key that differs in case only', { idempotencyKey: 'ORDER-41' }],
  ])('executes separately for %s', async (_, other) => {
    const { call, calls } = await keyedDeps({ tools: [ECHO, { ...ECHO, name: 'shout' }] });
    const own = { sessionId: 's1' };
    for (const more of [own, { ...own, ...other }]) {
      const first = await call(more);
      const again = await call(more);
      expect(provenanceOf(first)!.source).toBe('compute');
      expect(provenanceOf(again)!.replayOf).toBe(first.callId);
    }
    expect(calls).toHaveLength(2);
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  it('replays for a caller whose scopes and roles have changed', async () => {
    const { call, calls } = await keyedDeps();
    await call();
    const principal = { ...LOCAL_USER, scopes: ['tools:read'], roles: ['admin'] };
    expect(provenanceOf(await call({ principal }))!.source).toBe('replay');
    expect(calls).toHaveLength(1);
  });

  it('denies a caller whose access was revoked instead of replaying to it', async () => {
    let revoked = false;
    const rule: Rule = {
      name: 'until-revoked',
      perCall: true,
      evaluate: () => ({ effect: revoked ? 'deny' : 'allow', text: 'because' }),
    };
    const { call, steps } = await keyedDeps({ rules: [rule] });
    expect((await call()).status).toBe('ok');
    const before = [...steps];
    revoked = true;
    const denied = failure(await call());
    expect(denied.error.code).toBe('AUTHORIZATION_DENIED');
    expect(denied).not.toHaveProperty('view');
    expect(denied).not.toHaveProperty('provenance');
    expect(steps).toEqual(before);
  });
});

describe('claimKey with other arguments', () => {
  const OTHER = { args: { message: 'something else' } };
  const refused = {
    error: { code: 'CONFLICT', variant: 'other_arguments', retryable: false },
  };

  it('refuses with CONFLICT after the first call has completed', async () => {
    const { call, calls, receipts } = await keyedDeps();
    await call();
    expect(await call(OTHER)).toMatchObject(refused);
    expect(calls).toHaveLength(1);
    expect(receipts[1]).toMatchObject({ errorCode: 'CONFLICT', phase: 'execute', source: null, attempts: 0 });
    expect((await call()).status).toBe('ok');
  });

  it.each(['wait', 'conflict'] as const)(
    'refuses with CONFLICT at once while the first call is in flight: %s',
    async (onInFlight) => {
      const slow = slowAnswer();
      const { call, calls } = await keyedDeps({ answer: slow.answer, onInFlight });
      const first = call();
      await slow.started;
      expect(await call(OTHER)).toMatchObject(refused);
      slow.finish();
      expect((await first).status).toBe('ok');
      expect(calls).toHaveLength(1);
    },
  );

  it('refuses with CONFLICT when the outcome of the first call is unknown', async () => {
    const { call, calls } = await keyedDeps({ answer: failing(new Fault('UPSTREAM_UNAVAILABLE', 'gone')) });
    await call();
    expect(await call(OTHER)).toMatchObject(refused);
    expect(calls).toHaveLength(1);
  });
});

describe('claimKey while another call is in flight', () => {
  it('waits for that call and replays its result', async () => {
    const slow = slowAnswer();
    const { call, calls, receipts } = await keyedDeps({ answer: slow.answer });
    const first = call();
    await slow.started;
    const others = Array.from({ length: 5 }, () => call());
    await pause(60);
    expect(receipts).toEqual([]);
    slow.finish();
    const outcomes = await Promise.all([first, ...others]);
    for (const outcome of outcomes) expect(comparable(outcome)).toEqual(comparable(outcomes[0]!));
    expect(outcomes.map((outcome) => provenanceOf(outcome)!.replayOf)).toEqual([
      undefined,
      ...others.map(() => outcomes[0]!.callId),
    ]);
    expect(calls).toHaveLength(1);
  });

  it('executes when that call had no effect', async () => {
    const started = Promise.withResolvers<void>();
    const fail = Promise.withResolvers<never>();
    const { call, calls } = await keyedDeps({
      answer: () => {
        started.resolve();
        return calls.length === 1 ? fail.promise : Promise.resolve(ECHO_RESULT);
      },
    });
    const first = call();
    await started.promise;
    const second = call();
    await pause(30);
    fail.reject(new Fault('RATE_LIMITED', 'no', { effect: 'none' }));
    expect(failure(await first).error.code).toBe('RATE_LIMITED');
    const executed = await second;
    expect(provenanceOf(executed)).toMatchObject({ source: 'compute' });
    expect(calls).toHaveLength(2);
  });

  it('refuses with CONFLICT when the outcome of that call is unknown', async () => {
    const started = Promise.withResolvers<void>();
    const fail = Promise.withResolvers<never>();
    const { call, calls } = await keyedDeps({
      answer: () => {
        started.resolve();
        return fail.promise;
      },
    });
    const first = call();
    await started.promise;
    const second = call();
    fail.reject(new Fault('UPSTREAM_UNAVAILABLE', 'gone'));
    const { callId } = await first;
    expect(await second).toMatchObject({
      error: { code: 'CONFLICT', variant: 'unknown', details: { unresolved_call: callId } },
    });
    expect(calls).toHaveLength(1);
  });

  it('refuses with CONFLICT at once where onInFlight is conflict, and replays after completion', async () => {
    const slow = slowAnswer();
    const { call, calls, steps } = await keyedDeps({ answer: slow.answer, onInFlight: 'conflict' });
    const first = call();
    await slow.started;
    const refused = failure(await call());
    expect(refused.error).toMatchObject({ code: 'CONFLICT', variant: undefined, retryable: true });
    expect(steps.filter((step) => step === 'claim')).toHaveLength(2);
    slow.finish();
    expect((await first).status).toBe('ok');
    expect(provenanceOf(await call())!.source).toBe('replay');
    expect(calls).toHaveLength(1);
  });

  it('waits no longer than its own deadline, and does not abort that call', async () => {
    const slow = slowAnswer();
    const { call, calls } = await keyedDeps({ answer: slow.answer });
    const first = call();
    await slow.started;
    const began = Date.now();
    const late = failure(await call({ deadline: began + 1_500 }));
    expect(late.error).toMatchObject({ code: 'CONFLICT', variant: undefined, retryable: true });
    expect(Date.now() - began).toBeLessThan(HANG_MS);
    slow.finish();
    expect((await first).status).toBe('ok');
    expect(calls).toHaveLength(1);
    expect(calls[0]!.signal.aborted).toBe(false);
  });

  it('stops waiting when its caller disconnects, and does not abort that call', async () => {
    const slow = slowAnswer();
    const { call, calls } = await keyedDeps({ answer: slow.answer });
    const first = call();
    await slow.started;
    const disconnect = new AbortController();
    const second = call({ signal: disconnect.signal });
    await pause(50);
    disconnect.abort();
    expect(failure(await second).error).toMatchObject({ code: 'CANCELLED' });
    expect(calls[0]!.signal.aborted).toBe(false);
    slow.finish();
    expect((await first).status).toBe('ok');
    expect(provenanceOf(await call())!.source).toBe('replay');
  });
});

describe('any sequence of calls with the same keys', () => {
  type Answer = 'answers' | 'reports an error' | 'did nothing' | 'is unavailable' | 'throws';
  const anyCall = fc.record({
    key: fc.constantFrom('a', 'b'),
    message: fc.constantFrom('one', 'two'),
    answer: fc.constantFrom<Answer>('answers', 'reports an error', 'did nothing', 'is unavailable', 'throws'),
  });
  const ANSWERS: Readonly<Record<Answer, (message: unknown) => Promise<ToolResult>>> = {
    answers: async (message) => ({ content: [{ type: 'text', text: `said ${message}` }], isError: false }),
    'reports an error': async () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
    'did nothing': failing(new Fault('RATE_LIMITED', 'no', { effect: 'none' })),
    'is unavailable': failing(new Fault('UPSTREAM_UNAVAILABLE', 'gone')),
    throws: failing(new Error('x')),
  };
  const CODES: Readonly<Record<Answer, string>> = {
    answers: 'ok compute',
    'reports an error': 'UPSTREAM_FAILURE compute',
    'did nothing': 'RATE_LIMITED',
    'is unavailable': 'UPSTREAM_UNAVAILABLE',
    throws: 'INTERNAL_TOOL_ERROR',
  };
  const isCompleted = (answer: Answer) => answer === 'answers' || answer === 'reports an error';

  it('has at most one effect for each key, and every outcome reports it correctly', async () => {
    let answer: Answer = 'answers';
    const { call, calls } = await keyedDeps({ answer: ({ args }) => ANSWERS[answer](args.message) });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 8 }), async (sequence) => {
        run++;
        /** The first call with a possible effect, by key. */
        const effects = new Map<string, { callId: string; message: string; answer: Answer }>();
        for (const one of sequence) {
          answer = one.answer;
          const before = calls.length;
          const idempotencyKey = `${one.key}-${run}`;
          const outcome = await call({ idempotencyKey, args: { message: one.message } });
          const codes =
            outcome.status === 'failed'
              ? [outcome.error.code, outcome.error.variant === 'tool' ? undefined : outcome.error.variant]
              : [outcome.status];
          const actual = [...codes, provenanceOf(outcome)?.source].filter(Boolean).join(' ');
          const earlier = effects.get(one.key);
          if (!earlier) {
            expect(actual).toBe(CODES[one.answer]);
            expect(calls).toHaveLength(before + 1);
            if (one.answer !== 'did nothing') effects.set(one.key, { ...one, callId: outcome.callId });
            continue;
          }
          expect(calls).toHaveLength(before);
          if (earlier.message !== one.message) expect(actual).toBe('CONFLICT other_arguments');
          else if (isCompleted(earlier.answer)) {
            expect(actual).toBe(CODES[earlier.answer].replace('compute', 'replay'));
            expect(provenanceOf(outcome)!.replayOf).toBe(earlier.callId);
          } else expect(actual).toBe('CONFLICT unknown');
        }
      }),
      { numRuns: 60 },
    );
  });
});
