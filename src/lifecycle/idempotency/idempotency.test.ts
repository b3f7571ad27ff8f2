import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith } from '../../../test/folder.ts';
import {
  admissionOf,
  ECHO,
  ECHO_ID,
  type RecordingDeps,
  type RecordingDepsOptions,
  recordingDeps,
  SAID,
  type SendParts,
  send,
} from '../../../test/recording-deps.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { describeError, ERROR_CODES } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { IdempotencyStore } from '../../contract/ports/idempotency-store.ts';
import type { DeclaredTerms } from '../../contract/tool/descriptor.ts';
import type { Rule } from '../../governance/rule.ts';
import { openSqliteStores } from '../../stores/sqlite/open.ts';
import type { CallDependencies } from '../dependencies.ts';
import { ResultCache } from '../upstream/result-cache.ts';

interface KeyedGate extends RecordingDeps {
  /** What happened at the idempotency and at the upstream, in order. */
  readonly steps: string[];
  readonly idempotency: IdempotencyStore;
  /** The states of the rows that are kept. */
  states(): string[];
  call(more?: SendParts): Promise<Outcome>;
}

interface KeyedGateOptions extends RecordingDepsOptions, Partial<Pick<CallDependencies, 'onInFlight'>> {
  /** Takes the place of what the store does. */
  readonly instead?: Partial<IdempotencyStore>;
}

const KEYED = { idempotencyKey: 'order-41' } as const;
const NOTED = ['claim', 'recordIntent', 'complete', 'release', 'markUnknown'] as const;
const HANG_MS = 20_000;

/** A recording deps whose keys lie in a real SQLite file. */
async function keyedGate(options: KeyedGateOptions = {}): Promise<KeyedGate> {
  const { answer = async () => SAID, instead = {}, onInFlight = 'wait' } = options;
  const file = join(folderWith(), 'toolgate.sqlite');
  const stores = await openSqliteStores({ file });
  onTestFinished(() => stores.close());
  const steps: string[] = [];
  const noted = NOTED.map((name) => [
    name,
    (...args: never[]) => {
      steps.push(name);
      const act = (instead[name] ?? stores.idempotency[name]) as (...args: never[]) => Promise<unknown>;
      return act(...args);
    },
  ]);
  const idempotency: IdempotencyStore = { ...stores.idempotency, ...Object.fromEntries(noted) };
  const recorded = recordingDeps({
    ...options,
    answer: (call) => {
      steps.push('effect');
      return answer(call);
    },
  });
  const deps = { ...recorded.deps, idempotency, onInFlight };
  return {
    ...recorded,
    deps,
    idempotency: stores.idempotency,
    steps,
    states: () => {
      const db = new SqliteDatabase(file, { readonly: true });
      try {
        const states = db.prepare<[], string>(
          `SELECT 'done' AS state, 0 AS since FROM toolgate_kept_results
           UNION ALL SELECT state, since FROM toolgate_open_claims ORDER BY since`,
        );
        return states.pluck().all();
      } finally {
        db.close();
      }
    },
    call: (more) => send(deps, { ...KEYED, ...more }),
  };
}

const declaring = (declared: DeclaredTerms) => ({ tools: [{ ...ECHO, declared }] });
const READS = declaring({ mutation: 'read_only' });
const failing = (thrown: unknown) => async (): Promise<ToolResult> => {
  throw thrown;
};
const broken = () => Promise.reject(new Error('disk full'));
const never = (): Promise<ToolResult> => new Promise(() => {});

function failure(outcome: Outcome): Extract<Outcome, { status: 'failed' }> {
  if (outcome.status !== 'failed') throw new Error(`the call ended ${outcome.status}`);
  return outcome;
}

/** What the caller is told, without what belongs to this one call. */
function told(outcome: Outcome): unknown {
  const { callId: _, traceId: __, timing: ___, ...rest } = outcome;
  if (rest.status !== 'ok' && rest.status !== 'failed') return rest;
  const { provenance: ____, ...said } = rest;
  return said;
}

function provenanceOf(outcome: Outcome) {
  return outcome.status === 'ok' || outcome.status === 'failed' ? outcome.provenance : undefined;
}

/** Resolves when the effect is under way, and lets it end when it is told to. */
function slowAnswer() {
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<ToolResult>();
  return {
    begun: begun.promise,
    finish: () => answer.resolve(SAID),
    answer: () => {
      begun.resolve();
      return answer.promise;
    },
  };
}

describe('what is written down around an effect', () => {
  it('with a key: the claim, the intent, the effect, the seal', async () => {
    const { call, steps, states } = await keyedGate();
    expect((await call()).status).toBe('ok');
    expect(steps).toEqual(['claim', 'recordIntent', 'effect', 'complete']);
    expect(states()).toEqual(['done']);
  });

  it('with a key, where nothing stands in between: the claim is the intent', async () => {
    const { call, steps, states } = await keyedGate({ intendsAtOnce: true });
    await call();
    expect(steps).toEqual(['claim', 'effect', 'complete']);
    expect(states()).toEqual(['done']);
  });

  it('the intent is on disk when the effect begins', async () => {
    const during: string[][] = [];
    const { call, states } = await keyedGate({
      answer: async () => {
        during.push(states());
        return SAID;
      },
    });
    await call();
    await call({ idempotencyKey: undefined });
    expect(during).toEqual([['intended'], ['done', 'intended']]);
  });

  it('a write without a key: the claim and the intent in one, the effect, and nothing is left behind', async () => {
    const { deps, steps, states } = await keyedGate();
    expect((await send(deps)).status).toBe('ok');
    expect(steps).toEqual(['claim', 'effect', 'release']);
    expect(states()).toEqual([]);
  });

  it.each([
    ['the upstream refused it', failing(new Fault('UPSTREAM_FAILURE', 'no'))],
    ['the upstream cannot have seen it', failing(new Fault('RATE_LIMITED', 'no', { effect: 'none' }))],
    ['the upstream broke', failing(new TypeError('x'))],
    ['the tool reports an error', async () => ({ content: [], isError: true })],
  ])('a write without a key leaves nothing behind where %s', async (_, answer) => {
    const { deps, steps, states, idempotency } = await keyedGate({ answer });
    expect((await send(deps)).status).toBe('failed');
    expect(steps).toEqual(['claim', 'effect', 'release']);
    expect(states()).toEqual([]);
    expect(await idempotency.listUnresolved(10)).toEqual([]);
  });

  it('two writes without a key are two effects', async () => {
    const { deps, calls } = await keyedGate();
    await Promise.all([send(deps), send(deps)]);
    expect(calls).toHaveLength(2);
    expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([undefined, undefined]);
  });

  it('a read without a key: nothing at all', async () => {
    const { deps, steps, states } = await keyedGate(READS);
    expect((await send(deps)).status).toBe('ok');
    expect(steps).toEqual(['effect']);
    expect(states()).toEqual([]);
  });

  it('a read with a key: the same as for a write', async () => {
    const { call, steps } = await keyedGate(READS);
    await call();
    await call();
    expect(steps).toEqual(['claim', 'recordIntent', 'effect', 'complete', 'claim']);
  });

  it.each([
    ['wrong arguments', { args: {} }],
    ['a dry run', { dryRun: true }],
    ['a tool that is not there', { tool: 'shop:gone@1' }],
  ])('nothing for %s', async (_, more) => {
    const { call, steps, states } = await keyedGate();
    await call(more);
    expect(steps).toEqual([]);
    expect(states()).toEqual([]);
  });

  it('nothing where the deadline had passed or the caller had gone: the key is free', async () => {
    const { call, steps, states } = await keyedGate();
    expect(failure(await call({ deadline: 1 })).error.code).toBe('DEADLINE_EXCEEDED');
    expect(failure(await call({ signal: AbortSignal.abort() })).error.variant).toBe('cancelled');
    expect(steps).toEqual([]);
    expect(states()).toEqual([]);
    expect((await call()).status).toBe('ok');
  });

  it('nothing happened where the upstream is gone from the config: the key is free', async () => {
    const { call, steps } = await keyedGate({ isConfigured: false });
    expect(failure(await call()).error.code).toBe('UPSTREAM_UNAVAILABLE');
    expect(steps).toEqual(['claim', 'release']);
  });

  it('the upstream gets one key of ours for one effect, and never the caller’s own', async () => {
    const faults = [new Fault('UPSTREAM_UNAVAILABLE', 'away', { effect: 'none' })];
    const { call, calls, steps } = await keyedGate({
      retry: { maxAttempts: 2, baseDelayMs: 0, maxDelayMs: 0, codes: ['UPSTREAM_UNAVAILABLE'] },
      answer: async () => {
        const fault = faults.pop();
        if (fault) throw fault;
        return SAID;
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

describe('a repeat inside the window returns the first result, marked as a replay, without executing', () => {
  it('and says whose effect it was, and when', async () => {
    const { call, calls, receipts } = await keyedGate();
    const first = await call();
    const again = await call();
    expect(told(again)).toEqual(told(first));
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

  it('however often it is asked for, and always of the call that had the effect', async () => {
    const { call, calls } = await keyedGate();
    const first = await call();
    for (let i = 0; i < 3; i++) expect(provenanceOf(await call())!.replayOf).toBe(first.callId);
    expect(calls).toHaveLength(1);
  });

  it('also where the same arguments come in another order', async () => {
    const { call, calls } = await keyedGate();
    await call({ args: { message: 'hello', times: 2 } });
    const again = await call({ args: { times: 2, message: 'hello' } });
    expect(provenanceOf(again)!.source).toBe('replay');
    expect(calls).toHaveLength(1);
  });

  it('also where the tool was found by its path', async () => {
    const { call, calls } = await keyedGate();
    await call();
    expect(provenanceOf(await call({ tool: '/shop/echo' }))!.source).toBe('replay');
    expect(calls).toHaveLength(1);
  });

  it('also after the schema of the tool changed, and its id with it', async () => {
    const unversioned = { ...ECHO, version: undefined };
    const changed = {
      ...unversioned,
      inputSchema: { type: 'object', properties: { message: { type: 'string' }, loud: { type: 'boolean' } } },
    };
    const { call, calls, catalog } = await keyedGate({ tools: [unversioned] });
    const [before] = catalog.snapshot.contracts;
    const first = await call({ tool: before!.id });
    const [after] = catalog.replace(admissionOf([changed])).contracts;
    expect(after!.id).not.toBe(before!.id);
    const again = await call({ tool: after!.id });
    expect(told(again)).toEqual(told(first));
    expect(provenanceOf(again)).toMatchObject({
      toolId: after!.id,
      source: 'replay',
      replayOf: first.callId,
    });
    expect(calls).toHaveLength(1);
  });

  it('as a failure where the tool reported an error', async () => {
    const answer = async (): Promise<ToolResult> => ({
      content: [{ type: 'text', text: 'card declined' }],
      isError: true,
    });
    const { call, calls, receipts, states } = await keyedGate({ answer });
    const first = failure(await call());
    expect(states()).toEqual(['done']);
    const again = failure(await call());
    expect(told(again)).toEqual(told(first));
    expect(again).toMatchObject({
      error: { code: 'UPSTREAM_FAILURE', variant: 'tool' },
      view: { content: [{ text: 'card declined' }] },
      provenance: { source: 'replay', replayOf: first.callId },
    });
    expect(calls).toHaveLength(1);
    expect(receipts[1]).toMatchObject({ status: 'failed', errorCode: 'UPSTREAM_FAILURE', source: 'replay' });
  });

  it('as the same failure where the answer breaks the tool’s own promise', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const { call, calls } = await keyedGate({
      tools: [{ ...ECHO, outputSchema }],
      answer: async () => ({ content: [], structured: { n: 'seven' }, isError: false }),
    });
    const first = failure(await call());
    expect(first.error.code).toBe('INTERNAL_TOOL_ERROR');
    expect(told(await call())).toEqual(told(first));
    expect(calls).toHaveLength(1);
  });

  it('to the same summary and the same handles where the result is too long to show', async () => {
    const long = Array.from({ length: 4_000 }, (_, i) => `line ${i} of a long story`).join('\n');
    const { call, calls, stored } = await keyedGate({
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
    expect(told(again)).toEqual(told(first));
    expect(calls).toHaveLength(1);
    const handles = stored.map(({ handle }) => handle);
    expect(handles.slice(handles.length / 2)).toEqual(handles.slice(0, handles.length / 2));
  });

  it('and after the window executes again', async () => {
    const { call, calls } = await keyedGate(declaring({ idempotency: { key: 'optional', windowMs: 60 } }));
    const first = await call();
    expect(provenanceOf(await call())!.source).toBe('replay');
    await pause(150);
    const later = await call({ args: { message: 'something else' } });
    expect(provenanceOf(later)!.source).toBe('compute');
    expect(later.callId).not.toBe(first.callId);
    expect(calls).toHaveLength(2);
  });
});

describe('whose key it is', () => {
  it.each([
    ['another caller', { principal: { ...LOCAL_USER, id: 'somebody-else' } }],
    ['another tenant', { principal: { ...LOCAL_USER, tenant: 'acme' } }],
    ['another session of the caller', { sessionId: 's2' }],
    ['no session', { sessionId: undefined }],
    ['another tool', { tool: 'shop:shout@1.0.0' }],
    ['another key', { idempotencyKey: 'order-42' }],
    ['a key that differs in case only', { idempotencyKey: 'ORDER-41' }],
  ])('%s has an effect of its own', async (_, other) => {
    const { call, calls } = await keyedGate({ tools: [ECHO, { ...ECHO, name: 'shout' }] });
    const mine = { sessionId: 's1' };
    for (const more of [mine, { ...mine, ...other }]) {
      const first = await call(more);
      const again = await call(more);
      expect(provenanceOf(first)!.source).toBe('compute');
      expect(provenanceOf(again)!.replayOf).toBe(first.callId);
    }
    expect(calls).toHaveLength(2);
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  it('a caller whose scopes and roles changed is still the same', async () => {
    const { call, calls } = await keyedGate();
    await call();
    const principal = { ...LOCAL_USER, scopes: ['tools:read'], roles: ['admin'] };
    expect(provenanceOf(await call({ principal }))!.source).toBe('replay');
    expect(calls).toHaveLength(1);
  });

  it('a stored result is replayed after Authorize: a revoked caller is denied and learns nothing of it', async () => {
    let revoked = false;
    const rule: Rule = {
      name: 'until-revoked',
      perCall: true,
      evaluate: () => ({ effect: revoked ? 'deny' : 'allow', text: 'because' }),
    };
    const { call, steps } = await keyedGate({ rules: [rule] });
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

describe('the same key with other arguments is CONFLICT', () => {
  const OTHER = { args: { message: 'something else' } };
  const refused = {
    error: { code: 'CONFLICT', variant: 'other_arguments', retryable: false },
  };

  it('after the first is done, without an effect', async () => {
    const { call, calls, receipts } = await keyedGate();
    await call();
    expect(await call(OTHER)).toMatchObject(refused);
    expect(calls).toHaveLength(1);
    expect(receipts[1]).toMatchObject({ errorCode: 'CONFLICT', phase: 'execute', source: null, attempts: 0 });
    expect((await call()).status).toBe('ok');
  });

  it.each(['wait', 'conflict'] as const)('while the first is under way, at once: %s', async (onInFlight) => {
    const slow = slowAnswer();
    const { call, calls } = await keyedGate({ answer: slow.answer, onInFlight });
    const first = call();
    await slow.begun;
    expect(await call(OTHER)).toMatchObject(refused);
    slow.finish();
    expect((await first).status).toBe('ok');
    expect(calls).toHaveLength(1);
  });

  it('where nobody knows how the first ended', async () => {
    const { call, calls } = await keyedGate({ answer: failing(new Fault('UPSTREAM_UNAVAILABLE', 'gone')) });
    await call();
    expect(await call(OTHER)).toMatchObject(refused);
    expect(calls).toHaveLength(1);
  });
});

describe('a repeat while the first still runs', () => {
  it('waits for it and gets its answer', async () => {
    const slow = slowAnswer();
    const { call, calls, receipts } = await keyedGate({ answer: slow.answer });
    const first = call();
    await slow.begun;
    const others = Array.from({ length: 5 }, () => call());
    await pause(60);
    expect(receipts).toEqual([]);
    slow.finish();
    const outcomes = await Promise.all([first, ...others]);
    for (const outcome of outcomes) expect(told(outcome)).toEqual(told(outcomes[0]!));
    expect(outcomes.map((outcome) => provenanceOf(outcome)!.replayOf)).toEqual([
      undefined,
      ...others.map(() => outcomes[0]!.callId),
    ]);
    expect(calls).toHaveLength(1);
  });

  it('takes over where the first turns out to have had no effect', async () => {
    const begun = Promise.withResolvers<void>();
    const fail = Promise.withResolvers<never>();
    const { call, calls } = await keyedGate({
      answer: () => {
        begun.resolve();
        return calls.length === 1 ? fail.promise : Promise.resolve(SAID);
      },
    });
    const first = call();
    await begun.promise;
    const second = call();
    await pause(30);
    fail.reject(new Fault('RATE_LIMITED', 'no', { effect: 'none' }));
    expect(failure(await first).error.code).toBe('RATE_LIMITED');
    const taken = await second;
    expect(provenanceOf(taken)).toMatchObject({ source: 'compute' });
    expect(calls).toHaveLength(2);
  });

  it('learns that nobody knows, where the first turns out so', async () => {
    const begun = Promise.withResolvers<void>();
    const fail = Promise.withResolvers<never>();
    const { call, calls } = await keyedGate({
      answer: () => {
        begun.resolve();
        return fail.promise;
      },
    });
    const first = call();
    await begun.promise;
    const second = call();
    fail.reject(new Fault('UPSTREAM_UNAVAILABLE', 'gone'));
    const { callId } = await first;
    expect(await second).toMatchObject({
      error: { code: 'CONFLICT', variant: 'unknown', details: { unresolved_call: callId } },
    });
    expect(calls).toHaveLength(1);
  });

  it('or gets CONFLICT at once, where the operator wants it so; and afterwards the answer', async () => {
    const slow = slowAnswer();
    const { call, calls, steps } = await keyedGate({ answer: slow.answer, onInFlight: 'conflict' });
    const first = call();
    await slow.begun;
    const refused = failure(await call());
    expect(refused.error).toMatchObject({ code: 'CONFLICT', variant: undefined, retryable: true });
    expect(steps.filter((step) => step === 'claim')).toHaveLength(2);
    slow.finish();
    expect((await first).status).toBe('ok');
    expect(provenanceOf(await call())!.source).toBe('replay');
    expect(calls).toHaveLength(1);
  });

  it('waits no longer than its own deadline, and leaves the first alone', async () => {
    const slow = slowAnswer();
    const { call, calls } = await keyedGate({ answer: slow.answer });
    const first = call();
    await slow.begun;
    const began = Date.now();
    const late = failure(await call({ deadline: began + 1_500 }));
    expect(late.error).toMatchObject({ code: 'CONFLICT', variant: undefined, retryable: true });
    expect(Date.now() - began).toBeLessThan(HANG_MS);
    slow.finish();
    expect((await first).status).toBe('ok');
    expect(calls).toHaveLength(1);
    expect(calls[0]!.signal.aborted).toBe(false);
  });

  it('waits no longer than its caller, and leaves the first alone', async () => {
    const slow = slowAnswer();
    const { call, calls } = await keyedGate({ answer: slow.answer });
    const first = call();
    await slow.begun;
    const leaving = new AbortController();
    const second = call({ signal: leaving.signal });
    await pause(50);
    leaving.abort();
    expect(failure(await second).error).toMatchObject({ code: 'DEADLINE_EXCEEDED', variant: 'cancelled' });
    expect(calls[0]!.signal.aborted).toBe(false);
    slow.finish();
    expect((await first).status).toBe('ok');
    expect(provenanceOf(await call())!.source).toBe('replay');
  });
});

describe('a call that failed', () => {
  it.each(ERROR_CODES)('with %s and for certain without an effect frees its key', async (code) => {
    const { call, calls, steps, states } = await keyedGate({
      answer: failing(new Fault(code, 'no', { effect: 'none' })),
    });
    const first = failure(await call());
    expect(first.error.code).toBe(code);
    expect(steps).toEqual(['claim', 'recordIntent', 'effect', 'release']);
    expect(states()).toEqual([]);
    await call({ args: { message: 'something else' } });
    expect(calls).toHaveLength(2);
  });

  it.each(ERROR_CODES)(
    'with %s and perhaps with an effect is unknown to whoever asks again',
    async (code) => {
      const { call, calls, steps, states, idempotency } = await keyedGate({
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
      // Its caller was told, and its receipt says so: nobody has to tell of it again.
      expect(await idempotency.findLost()).toEqual([]);
    },
  );

  it('because its upstream broke is unknown', async () => {
    const { call, states } = await keyedGate({ answer: failing(new TypeError('x is not a function')) });
    expect(failure(await call()).error.code).toBe('INTERNAL_TOOL_ERROR');
    expect(states()).toEqual(['unknown']);
    expect(failure(await call()).error.variant).toBe('unknown');
  });

  it('because of its deadline or its caller is unknown, once the effect may have begun', async () => {
    const { call, states } = await keyedGate({ answer: never });
    expect(failure(await call({ deadline: Date.now() + 500 })).error.code).toBe('DEADLINE_EXCEEDED');
    expect(failure(await call()).error.variant).toBe('unknown');
    const leaving = new AbortController();
    const other = call({ idempotencyKey: 'order-42', signal: leaving.signal });
    await expect.poll(states, { timeout: HANG_MS }).toEqual(['unknown', 'intended']);
    leaving.abort();
    expect(failure(await other).error.variant).toBe('cancelled');
    expect(states()).toEqual(['unknown', 'unknown']);
  });
});

describe('a caller whose connection breaks', () => {
  /** A wire that can tell a broken connection from a cancellation. */
  function wire() {
    const gone = new AbortController();
    const cancel = new AbortController();
    const signal = AbortSignal.any([gone.signal, cancel.signal]);
    return {
      arrival: { signal, cancelled: cancel.signal },
      breaks: () => gone.abort(),
      cancels: () => cancel.abort(),
    };
  }

  it('leaves its keyed call to go on, and gets the result when it asks again', async () => {
    const slow = slowAnswer();
    const caller = wire();
    const { call, calls, states } = await keyedGate({ answer: slow.answer });
    const first = call(caller.arrival);
    await slow.begun;
    caller.breaks();
    const again = call();
    await pause(30);
    expect([calls[0]!.signal.aborted, states()]).toEqual([false, ['intended']]);
    slow.finish();
    const outcome = await first;
    expect(outcome.status).toBe('ok');
    expect(told(await again)).toEqual(told(outcome));
    expect(provenanceOf(await again)).toMatchObject({ source: 'replay', replayOf: outcome.callId });
    expect(calls).toHaveLength(1);
  });

  it('also while its effect is checked against the world', async () => {
    const caller = wire();
    const looked: string[] = [];
    const { call, calls } = await keyedGate({
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
        if (toolName === 'echo') caller.breaks();
        else looked.push(signal.aborted ? 'aborted' : 'looked');
        return { content: [], structured: { said: true }, isError: false };
      },
    });
    expect((await call(caller.arrival)).status).toBe('ok');
    expect(looked).toEqual(['looked']);
    expect(provenanceOf(await call())!.source).toBe('replay');
    expect(calls).toHaveLength(2);
  });

  it('ends it where it says that it cancels: nobody can know then', async () => {
    const caller = wire();
    const { call, calls, states } = await keyedGate({ answer: never });
    const first = call(caller.arrival);
    await expect.poll(states, { timeout: HANG_MS }).toEqual(['intended']);
    caller.cancels();
    expect(failure(await first).error.variant).toBe('cancelled');
    expect(states()).toEqual(['unknown']);
    expect([calls[0]!.signal.aborted, calls[0]!.abandonSignal!.aborted]).toEqual([true, true]);
  });

  it('before anything was intended takes the call with it, and the key is free', async () => {
    const caller = wire();
    const claiming = Promise.withResolvers<void>();
    const { call, calls, idempotency, steps, states } = await keyedGate({
      instead: {
        claim: async (wanted) => {
          const held = await idempotency.claim(wanted);
          claiming.resolve();
          await pause(30);
          return held;
        },
      },
    });
    const first = call(caller.arrival);
    await claiming.promise;
    caller.breaks();
    expect(failure(await first).error.variant).toBe('cancelled');
    await expect.poll(() => steps, { timeout: HANG_MS }).toEqual(['claim', 'release']);
    await expect.poll(states, { timeout: HANG_MS }).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('ends a call without a key at once', async () => {
    const caller = wire();
    const { deps, calls, states } = await keyedGate({ answer: never });
    const first = send(deps, caller.arrival);
    await expect.poll(() => calls.length, { timeout: HANG_MS }).toBe(1);
    caller.breaks();
    expect(failure(await first).error.variant).toBe('cancelled');
    expect(states()).toEqual([]);
  });
});

describe('what the upstream says after the deadline', () => {
  const SOON = () => ({ deadline: Date.now() + 100 });
  /** An upstream that says nothing before it is told to. */
  const lateAnswer = () => Promise.withResolvers<ToolResult>();

  it('is not for the caller any more, and is kept for whoever asks again', async () => {
    const late = lateAnswer();
    const { call, calls, states, idempotency } = await keyedGate({ answer: () => late.promise });
    const first = failure(await call(SOON()));
    expect(first.error.code).toBe('DEADLINE_EXCEEDED');
    expect(failure(await call()).error.variant).toBe('unknown');
    expect([calls[0]!.signal.aborted, calls[0]!.abandonSignal!.aborted]).toEqual([true, false]);
    late.resolve(SAID);
    await expect.poll(states, { timeout: HANG_MS }).toEqual(['done']);
    const again = await call();
    expect(again).toMatchObject({ status: 'ok', view: { content: SAID.content } });
    expect(provenanceOf(again)).toMatchObject({ source: 'replay', replayOf: first.callId });
    expect(await idempotency.listUnresolved(10)).toEqual([]);
    expect(calls).toHaveLength(1);
  });

  it('frees the key where it is that nothing happened', async () => {
    const late = lateAnswer();
    const { call, states } = await keyedGate({ answer: () => late.promise });
    await call(SOON());
    expect(states()).toEqual(['unknown']);
    late.reject(new Fault('UPSTREAM_UNAVAILABLE', 'never sent', { effect: 'none' }));
    await expect.poll(states, { timeout: HANG_MS }).toEqual([]);
  });

  it.each([
    ['it went away', new Fault('UPSTREAM_UNAVAILABLE', 'gone')],
    ['it broke', new Error('x')],
  ])('leaves the key unknown where it is that %s', async (_, thrown) => {
    const late = lateAnswer();
    const { call, steps, states } = await keyedGate({ answer: () => late.promise });
    await call(SOON());
    late.reject(thrown);
    await pause(30);
    expect(states()).toEqual(['unknown']);
    expect(steps.at(-1)).toBe('markUnknown');
  });

  it('leaves the key unknown where it did nothing, and an earlier attempt may have done something', async () => {
    const late = lateAnswer();
    const { call, calls, states } = await keyedGate({
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

  it('is not believed where the contract wants it checked: the key stays unknown', async () => {
    const late = lateAnswer();
    const looks = { tool: 'shop:look@1.0.0', args: { message: { value: 'x' } } };
    const { call, states } = await keyedGate({
      tools: [
        { ...ECHO, declared: { verification: { readBack: { ...looks, expect: [] } } } },
        { ...ECHO, name: 'look', declared: { mutation: 'read_only' } },
      ],
      answer: () => late.promise,
    });
    await call(SOON());
    late.resolve(SAID);
    await pause(30);
    expect(states()).toEqual(['unknown']);
  });

  it('changes nothing where an operator has freed the key and another call holds it', async () => {
    const late = lateAnswer();
    const { call, calls, idempotency } = await keyedGate({
      answer: () => (calls.length === 1 ? late.promise : Promise.resolve({ ...SAID, content: [] })),
    });
    const { callId } = await call(SOON());
    expect(await idempotency.resolve(callId, 'not_executed', '')).toBe(true);
    const second = await call();
    late.resolve(SAID);
    await pause(30);
    const again = await call();
    expect(provenanceOf(again)!.replayOf).toBe(second.callId);
    expect(told(again)).toEqual(told(second));
  });
});

describe('an answer that nobody can write down', () => {
  it('is told of as such, to the first caller and to whoever asks again', async () => {
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    const { call, calls, states } = await keyedGate({
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

describe('an answer from the cache', () => {
  it('is what the key answers with from then on, though the cache has forgotten it', async () => {
    let asked = 0;
    const { call, deps, steps } = await keyedGate({
      ...READS,
      cache: new ResultCache({ ttlMs: 1_000, maxEntries: 5 }),
      answer: async () => ({ content: [{ type: 'text', text: String(++asked) }], isError: false }),
    });
    await send(deps);
    const first = await call();
    expect(provenanceOf(first)!.source).toBe('cache');
    await pause(1_100);
    const again = await call();
    expect(told(again)).toEqual(told(first));
    expect(provenanceOf(again)).toMatchObject({ source: 'replay', replayOf: first.callId });
    expect([asked, steps]).toEqual([1, ['effect', 'claim', 'complete', 'claim']]);
  });
});

describe('a store that hangs', () => {
  const hangs = () => new Promise<never>(() => {});
  /** Generous for a machine under load; a call that waits for its store never ends. */
  const inTime = <Result>(call: Promise<Result>): Promise<Result> =>
    Promise.race([call, pause(HANG_MS).then(() => Promise.reject(new Error('the call hangs')))]);

  it('on the claim holds the call up to its deadline; a claim that comes later is given back', async () => {
    const claimNow = Promise.withResolvers<void>();
    const { call, calls, idempotency, states } = await keyedGate({
      instead: {
        claim: async (wanted) => {
          await claimNow.promise;
          return idempotency.claim(wanted);
        },
      },
    });
    const first = failure(await inTime(call({ deadline: Date.now() + 100 })));
    expect(first.error.code).toBe('DEADLINE_EXCEEDED');
    claimNow.resolve();
    await expect.poll(async () => (await call()).status, { timeout: HANG_MS }).toBe('ok');
    expect(states()).toEqual(['done']);
    expect(calls).toHaveLength(1);
  });

  it.each(['complete', 'markUnknown', 'release'] as const)(
    'on the %s leaves the caller its answer',
    async (what) => {
      const effect = what === 'release' ? 'none' : undefined;
      const { call, events } = await keyedGate({
        instead: { [what]: hangs },
        ...(what !== 'complete' && { answer: failing(new Fault('RATE_LIMITED', 'slow down', { effect })) }),
      });
      const outcome = await inTime(call());
      expect(outcome.status).toBe(what === 'complete' ? 'ok' : 'failed');
      expect(events.filter(({ type }) => type === 'trouble')).toMatchObject([
        { callId: outcome.callId, what: 'idempotency key not completed' },
      ]);
    },
  );

  it('on the receipt leaves the caller its answer', async () => {
    const { call, events } = await keyedGate({ append: hangs });
    const outcome = await inTime(call());
    expect(outcome.status).toBe('ok');
    expect(events.filter(({ type }) => type === 'trouble')).toMatchObject([
      { callId: outcome.callId, what: 'receipt not stored' },
    ]);
  });
});

describe('a store that fails', () => {
  it('on the receipt lets nobody be told before the key is sealed', async () => {
    const order: string[] = [];
    const { call, idempotency } = await keyedGate({
      append: broken,
      instead: {
        complete: async (...sealed) => {
          await pause(50);
          await idempotency.complete(...sealed);
          order.push('sealed');
        },
      },
    });
    expect((await call()).status).toBe('ok');
    order.push('answered');
    expect(order).toEqual(['sealed', 'answered']);
  });

  it('on the claim that it wrote all the same leaves the key free: nothing was sent', async () => {
    let lost = true;
    const { call, calls, idempotency } = await keyedGate({
      intendsAtOnce: true,
      instead: {
        claim: async (wanted) => {
          const held = await idempotency.claim(wanted);
          if (lost) throw new Error('the connection was lost after the commit');
          return held;
        },
      },
    });
    expect(failure(await call()).error.code).toBe('INTERNAL_TOOL_ERROR');
    expect(calls).toEqual([]);
    lost = false;
    expect((await call()).status).toBe('ok');
    expect(calls).toHaveLength(1);
  });

  it('on the claim refuses the call, and nothing is sent', async () => {
    const { call, calls, receipts } = await keyedGate({ instead: { claim: broken } });
    expect(failure(await call()).error.code).toBe('INTERNAL_TOOL_ERROR');
    expect(calls).toEqual([]);
    expect(receipts).toMatchObject([{ status: 'failed', phase: 'execute', attempts: 0 }]);
  });

  it('on the claim refuses writes without a key as well, and lets reads through', async () => {
    const writes = await keyedGate({ instead: { claim: broken } });
    expect((await send(writes.deps)).status).toBe('failed');
    expect(writes.calls).toEqual([]);
    const reads = await keyedGate({ ...READS, instead: { claim: broken } });
    expect((await send(reads.deps)).status).toBe('ok');
  });

  it('on the intent refuses the call, nothing is sent, and the key is free', async () => {
    const { call, calls, states, events } = await keyedGate({ instead: { recordIntent: broken } });
    expect(failure(await call()).error.code).toBe('INTERNAL_TOOL_ERROR');
    expect(calls).toEqual([]);
    expect(states()).toEqual([]);
    expect(events.filter(({ type }) => type === 'trouble')).toEqual([]);
  });

  it('on the seal leaves the caller its answer, and an operator is told', async () => {
    const { call, calls, events } = await keyedGate({ instead: { complete: broken } });
    const outcome = await call();
    expect(outcome).toMatchObject({ status: 'ok', view: { content: SAID.content } });
    expect(events.filter(({ type }) => type === 'trouble')).toMatchObject([
      {
        callId: outcome.callId,
        what: 'idempotency key not completed',
        cause: expect.objectContaining({ message: 'disk full' }),
      },
    ]);
    // What was not sealed must not happen again.
    expect(failure(await call({ deadline: Date.now() + 100 })).error.code).toBe('CONFLICT');
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['release', 'none'],
    ['markUnknown', undefined],
  ] as const)('on %s leaves the caller its refusal, and an operator is told', async (what, effect) => {
    const { call, events } = await keyedGate({
      instead: { [what]: broken },
      answer: failing(new Fault('RATE_LIMITED', 'slow down', { effect })),
    });
    const outcome = failure(await call());
    expect(outcome.error).toMatchObject({ code: 'RATE_LIMITED', message: 'slow down' });
    expect(events.filter(({ type }) => type === 'trouble')).toMatchObject([
      { callId: outcome.callId, what: 'idempotency key not completed' },
    ]);
  });

  it('has handed the key on in the meantime: the call goes no further', async () => {
    const { call, calls, steps } = await keyedGate({ instead: { recordIntent: async () => false } });
    expect(failure(await call()).error).toMatchObject({ code: 'CONFLICT', retryable: true });
    expect(calls).toEqual([]);
    expect(steps).toEqual(['claim', 'recordIntent', 'release']);
  });
});

describe('whatever is asked in whatever order', () => {
  type Answer = 'answers' | 'reports an error' | 'did nothing' | 'went away' | 'breaks';
  const asked = fc.record({
    key: fc.constantFrom('a', 'b'),
    message: fc.constantFrom('one', 'two'),
    answer: fc.constantFrom<Answer>('answers', 'reports an error', 'did nothing', 'went away', 'breaks'),
  });
  const ANSWERS: Readonly<Record<Answer, (message: unknown) => Promise<ToolResult>>> = {
    answers: async (message) => ({ content: [{ type: 'text', text: `said ${message}` }], isError: false }),
    'reports an error': async () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
    'did nothing': failing(new Fault('RATE_LIMITED', 'no', { effect: 'none' })),
    'went away': failing(new Fault('UPSTREAM_UNAVAILABLE', 'gone')),
    breaks: failing(new Error('x')),
  };
  const CODES: Readonly<Record<Answer, string>> = {
    answers: 'ok compute',
    'reports an error': 'UPSTREAM_FAILURE compute',
    'did nothing': 'RATE_LIMITED',
    'went away': 'UPSTREAM_UNAVAILABLE',
    breaks: 'INTERNAL_TOOL_ERROR',
  };
  const settles = (answer: Answer) => answer === 'answers' || answer === 'reports an error';

  it('a key has at most one effect, and everybody is told the truth about it', async () => {
    let answer: Answer = 'answers';
    const { call, calls } = await keyedGate({ answer: ({ args }) => ANSWERS[answer](args.message) });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 8 }), async (sequence) => {
        run++;
        /** What the first call that may have had an effect left behind, by key. */
        const left = new Map<string, { callId: string; message: string; answer: Answer }>();
        for (const one of sequence) {
          answer = one.answer;
          const before = calls.length;
          const idempotencyKey = `${one.key}-${run}`;
          const outcome = await call({ idempotencyKey, args: { message: one.message } });
          const found =
            outcome.status === 'failed'
              ? [outcome.error.code, outcome.error.variant === 'tool' ? undefined : outcome.error.variant]
              : [outcome.status];
          const said = [...found, provenanceOf(outcome)?.source].filter(Boolean).join(' ');
          const earlier = left.get(one.key);
          if (!earlier) {
            expect(said).toBe(CODES[one.answer]);
            expect(calls).toHaveLength(before + 1);
            if (one.answer !== 'did nothing') left.set(one.key, { ...one, callId: outcome.callId });
            continue;
          }
          expect(calls).toHaveLength(before);
          if (earlier.message !== one.message) expect(said).toBe('CONFLICT other_arguments');
          else if (settles(earlier.answer)) {
            expect(said).toBe(CODES[earlier.answer].replace('compute', 'replay'));
            expect(provenanceOf(outcome)!.replayOf).toBe(earlier.callId);
          } else expect(said).toBe('CONFLICT unknown');
        }
      }),
      { numRuns: 60 },
    );
  });
});
