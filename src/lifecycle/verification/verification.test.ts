import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  ECHO,
  type RecordingDeps,
  type RecordingDepsOptions,
  recordingDeps,
  send,
  type UpstreamCall,
} from '../../../test/recording-deps.ts';
import { type Admission, admit } from '../../catalog/admit.ts';
import { DEFAULT_SCHEMA_LIMITS } from '../../catalog/schema/budget.ts';
import type { CallError, Outcome } from '../../contract/call/outcome.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { DeclaredTerms, ToolDescriptor } from '../../contract/tool/descriptor.ts';
import type { Verification } from '../../contract/tool/verification.ts';
import { Quota } from '../../governance/quota.ts';
import { ResultCache } from '../upstream/result-cache.ts';

const tool = (name: string, more: Partial<ToolDescriptor> = {}): ToolDescriptor => ({
  ...ECHO,
  name,
  inputSchema: { type: 'object' },
  ...more,
});

/** A shelf of values: `put` writes one, `get` reads it, `drop` removes it; `put` can be told to lie. */
function shelf(
  verification: Verification,
  {
    onPut,
    onGet,
    mutation = 'write_reversible',
    drop = {},
    ...options
  }: RecordingDepsOptions & {
    onPut?: (values: Map<string, unknown>, call: UpstreamCall) => unknown;
    onGet?: (values: Map<string, unknown>, call: UpstreamCall) => unknown;
    mutation?: 'read_only' | 'write_reversible';
    drop?: DeclaredTerms;
  } = {},
): RecordingDeps & { values: Map<string, unknown> } {
  const values = new Map<string, unknown>();
  const recording = recordingDeps({
    thresholdTokens: 1_000,
    tools: [
      tool('put', {
        inputSchema: { type: 'object', additionalProperties: true },
        declared: { mutation, verification },
      }),
      tool('get', {
        inputSchema: { type: 'object', additionalProperties: true },
        declared: { mutation: 'read_only' },
      }),
      tool('drop', { inputSchema: { type: 'object', additionalProperties: true }, declared: drop }),
    ],
    answer: async (call) => {
      const key = String(call.args.key);
      if (call.toolName === 'get' && onGet) return said(await onGet(values, call));
      if (call.toolName === 'get') return said({ value: values.get(key) ?? null, size: values.size });
      if (call.toolName === 'drop') return said({ dropped: values.delete(key) });
      if (onPut) return said(onPut(values, call));
      values.set(key, call.args.value);
      return said({ key, stored: call.args.value });
    },
    ...options,
  });
  return { ...recording, values };
}

function said(structured: unknown) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(structured) }],
    structured,
    isError: false,
  };
}

function putting(deps: RecordingDeps['deps'], more: object = {}): Promise<Outcome> {
  return send(deps, { tool: 'shop:put@1.0.0', args: { key: 'a', value: 7 }, ...more });
}

const READ_BACK: Verification = {
  readBack: {
    tool: 'shop:get@1.0.0',
    args: { key: { from: 'args', at: '/key' } },
    expect: [{ at: '/value', equals: { from: 'args', at: '/value' } }],
  },
  compensate: { tool: 'shop:drop@1.0.0', args: { key: { from: 'result', at: '/key' } } },
};
const LIES = (values: Map<string, unknown>): unknown => {
  values.set('a', 'something else');
  return { key: 'a', stored: 7 };
};

const readBackBy = (used: string): Verification => ({
  ...READ_BACK,
  readBack: { ...READ_BACK.readBack!, tool: used },
});
const YES = { effect: 'allow', text: 'yes' } as const;
const NO = { effect: 'deny', text: 'no' } as const;

/** Tools of another upstream, which comes and changes on its own. */
function elsewhere(descriptor: ToolDescriptor): Admission {
  return admit('other', [descriptor], {
    profile: 'personal',
    visibility: 'external',
    onOversizedSchema: 'refuse',
    limits: DEFAULT_SCHEMA_LIMITS,
  });
}

function errorOf(outcome: Outcome): CallError | undefined {
  return outcome.status === 'failed' ? outcome.error : undefined;
}

describe('a read-back', () => {
  it('lets a call through that did what it says, and leaves a receipt of its own', async () => {
    const { deps, calls, receipts } = shelf(READ_BACK);
    expect(await putting(deps)).toMatchObject({ status: 'ok' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get']);
    expect(receipts.map(({ toolId, surface }) => [toolId, surface])).toEqual([
      ['shop:get@1.0.0', 'verification'],
      ['shop:put@1.0.0', 'test'],
    ]);
  });

  it('fails a call that did something else, and undoes it', async () => {
    const { deps, calls, values, events } = shelf(READ_BACK, { onPut: LIES });
    expect(await putting(deps)).toMatchObject({
      status: 'failed',
      error: {
        code: 'INTERNAL_TOOL_ERROR',
        message: expect.stringMatching(
          /^The tool ran, but the target system is not .+; its effect was undone\.$/,
        ),
        details: { compensated: true },
      },
    });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get', 'drop']);
    expect(values.size).toBe(0);
    expect(events).toContainEqual(expect.objectContaining({ type: 'violation', toolId: 'shop:put@1.0.0' }));
  });

  it('says so where it could not be undone', async () => {
    const { compensate: _, ...without } = READ_BACK;
    const { deps, values } = shelf(without, { onPut: LIES });
    expect(await putting(deps)).toMatchObject({
      error: { message: expect.stringContaining('was not undone'), details: { compensated: false } },
    });
    expect(values.size).toBe(1);
  });

  it.each<[string, Verification, RecordingDepsOptions, string]>([
    ['that is not there', readBackBy('shop:gone'), {}, 'does not exist'],
    ['that writes', readBackBy('/other/write'), {}, 'is not read-only'],
    [
      'that its caller may not use',
      READ_BACK,
      { rules: [{ name: 'no-get', evaluate: ({ contract: { name } }) => (name === 'get' ? NO : YES) }] },
      'does not exist',
    ],
  ])('refuses a call, before anything has happened, whose check needs a tool %s', async (...row) => {
    const [, verification, options, why] = row;
    const { deps, catalog, calls } = shelf(verification, options);
    catalog.replace(elsewhere(tool('write')));
    expect(await putting(deps)).toMatchObject({
      error: { code: 'PRECONDITION_FAILED', message: expect.stringContaining(why) },
    });
    expect(calls).toEqual([]);
    expect(await putting(deps, { dryRun: true })).toMatchObject({
      report: {
        checks: expect.arrayContaining([
          { name: 'preconditions', status: 'fail', reason: expect.stringContaining(why) },
        ]),
      },
    });
  });

  it('is not needed to be told again what it found', async () => {
    const { deps, catalog, calls } = shelf(readBackBy('/other/read'), { onPut: () => ({}) });
    catalog.replace(elsewhere(tool('read', { declared: { mutation: 'read_only' } })));
    const first = await putting(deps, { idempotencyKey: 'k' });
    catalog.replace(elsewhere(tool('another')));
    expect(errorOf(await putting(deps, { idempotencyKey: 'k' }))).toEqual(errorOf(first));
    expect(await putting(deps, { idempotencyKey: 'new' })).toMatchObject({
      error: { code: 'PRECONDITION_FAILED' },
    });
    expect(calls.filter(({ toolName }) => toolName === 'put')).toHaveLength(1);
  });

  it('never looks with a tool that has begun to write since', async () => {
    const { deps, catalog, calls, values } = shelf(readBackBy('/other/read'), {
      onPut: (stored, { args }) => {
        catalog.replace(elsewhere(tool('read')));
        stored.set('a', args.value);
        return {};
      },
    });
    catalog.replace(elsewhere(tool('read', { declared: { mutation: 'read_only' } })));
    expect(await putting(deps)).toMatchObject({
      error: { details: { unchecked: 'PRECONDITION_FAILED', compensated: false } },
    });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put']);
    expect([...values]).toEqual([['a', 7]]);
  });

  it.each<[string, (values: Map<string, unknown>, call: UpstreamCall) => unknown, string]>([
    ['fails', () => Promise.reject(new Fault('UPSTREAM_UNAVAILABLE', 'gone')), 'UPSTREAM_UNAVAILABLE'],
    ['takes too long', () => new Promise(() => {}), 'DEADLINE_EXCEEDED'],
    ['answers with no structure', () => 'all is well', 'nothing to compare'],
  ])('that %s fails the call, and leaves the effect alone', async (_, onGet, unchecked) => {
    const { deps, calls, values, events } = shelf(READ_BACK, { onGet });
    expect(await putting(deps, { deadline: Date.now() + 300 })).toMatchObject({
      error: {
        message: expect.stringMatching(/could not be verified \(.+\); the effect was not undone\.$/),
        details: { unchecked, compensated: false },
      },
    });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get']);
    expect([...values]).toEqual([['a', 7]]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'trouble', what: 'effect not verified' }));
  });

  it('looks at the world, and not at what is remembered of it', async () => {
    const { deps, calls } = shelf(READ_BACK, { cache: new ResultCache({ ttlMs: 60_000, maxEntries: 9 }) });
    await send(deps, { tool: 'shop:get@1.0.0', args: { key: 'a' } });
    expect(await putting(deps)).toMatchObject({ status: 'ok' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['get', 'put', 'get']);
  });

  it('counts against no limit', async () => {
    const { deps } = shelf(READ_BACK);
    const quota = new Quota({ tool_execute: { perMinute: 1 }, 'shop:get': { perMinute: 1 } });
    expect(await putting({ ...deps, quota })).toMatchObject({ status: 'ok' });
    expect(await putting({ ...deps, quota })).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });

  it.each([
    ['a secret', `db_password=${'Tr0ub4dor3x'}`],
    ['more than a model gets to see', 'x '.repeat(4_000)],
    ['what nobody can see', 'zero\u200bwidth'],
  ])('compares what was written, be it %s', async (_, value) => {
    const { deps, values } = shelf(READ_BACK, { countTokens: (text) => text.length });
    expect(await putting(deps, { args: { key: 'a', value } })).toMatchObject({ status: 'ok' });
    expect(values.get('a')).toBe(value);
  });

  it('tells nothing of what it compared', async () => {
    const { deps, events, receipts } = shelf(READ_BACK, {
      onPut: (values) => values.set('a', 'sh0uld-n0t-be-t0ld'),
    });
    const outcome = await putting(deps, { args: { key: 'a', value: 'n0r-sh0uld-this' } });
    expect(outcome.status).toBe('failed');
    const told = events.filter(({ type }) => type !== 'started');
    expect(JSON.stringify([outcome, receipts, told])).not.toMatch(/sh0uld/);
  });

  it('has no checks of its own, so that checks never run in a circle', async () => {
    const both: Verification = { ...READ_BACK, probe: { tool: 'shop:get@1.0.0', args: {} } };
    const { deps, calls } = shelf(READ_BACK, { onPut: LIES, drop: { verification: both } });
    await putting(deps);
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get', 'drop']);
  });

  it('goes on when the caller has gone: whoever asks again is told what was seen', async () => {
    const leaving = new AbortController();
    const { deps, calls } = shelf(READ_BACK, {
      onGet: async (values) => {
        leaving.abort();
        await pause(20);
        return { value: values.get('a') };
      },
    });
    await putting(deps, { idempotencyKey: 'k', signal: leaving.signal });
    expect(await putting(deps, { idempotencyKey: 'k' })).toMatchObject({
      status: 'ok',
      provenance: { source: 'replay' },
    });
    expect(calls).toHaveLength(2);
  });

  it('is not repeated for a call that asks again with its key, and neither is the undoing', async () => {
    const { deps, calls } = shelf(READ_BACK, { onPut: LIES });
    const first = await putting(deps, { idempotencyKey: 'k' });
    const again = await putting(deps, { idempotencyKey: 'k' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get', 'drop']);
    expect(errorOf(again)).toEqual(errorOf(first));
    expect(errorOf(again)).toMatchObject({ details: { compensated: true } });
  });

  it('that breaks itself fails the call for the first caller and for every later one', async () => {
    const { deps } = shelf(READ_BACK);
    const fail = () => Promise.reject(new Error('a bug'));
    const broken = { ...deps, internalCalls: { readBack: fail, compensate: fail } };
    const first = await putting(broken, { idempotencyKey: 'k' });
    expect(first).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_TOOL_ERROR' } });
    expect(errorOf(await putting(broken, { idempotencyKey: 'k' }))).toEqual(errorOf(first));
  });

  it.each([
    [{ at: '/value', exists: true }, 'ok'],
    [{ at: '/nothing', exists: false }, 'ok'],
    [{ at: '/nothing', exists: true }, 'failed'],
    [{ at: '/value', equals: { value: 7 } }, 'ok'],
    [{ at: '/value', equals: { value: '7' } }, 'failed'],
    [{ at: '/nothing', equals: { from: 'args' as const, at: '/nothing' } }, 'failed'],
  ])('expects %j', async (expectation, status) => {
    const { deps } = shelf({ readBack: { ...READ_BACK.readBack!, expect: [expectation] } });
    expect((await putting(deps)).status).toBe(status);
  });
});

describe('an undoing', () => {
  it('has its own time, its own key and no caller that could cancel it', async () => {
    const leaving = new AbortController();
    const { deps, calls, values } = shelf(READ_BACK, {
      onPut: LIES,
      onGet: () => {
        leaving.abort();
        return { value: 'something else' };
      },
      drop: { idempotency: { key: 'required', windowMs: 3_600_000 }, timeoutClass: 'standard' },
    });
    const deadline = Date.now() + 1_000;
    const outcome = await putting(deps, { deadline, signal: leaving.signal, idempotencyKey: 'k' });
    expect(outcome).toMatchObject({ error: { details: { compensated: true } } });
    expect(values.size).toBe(0);
    const [put, , drop] = calls;
    expect(drop!.deadline).toBeGreaterThan(deadline);
    expect(drop!.signal.aborted).toBe(false);
    expect(drop!.idempotencyKey).toMatch(/^[0-9a-f]{64}$/);
    expect(drop!.idempotencyKey).not.toBe(put!.idempotencyKey);
  });

  it('has a key where its call has none', async () => {
    const { deps, calls } = shelf(READ_BACK, {
      onPut: LIES,
      drop: { idempotency: { key: 'required', windowMs: 3_600_000 } },
    });
    expect(await putting(deps)).toMatchObject({ error: { details: { compensated: true } } });
    expect(calls[2]!.idempotencyKey).toBeDefined();
  });
});

describe('integrity', () => {
  const of = { from: 'result' as const, at: '/stored' };

  it.each([
    ['holds for the promised digest', 'text', { value: hash('sha256', 'text') }, 'ok'],
    ['fails for another', 'text', { value: hash('sha256', 'other') }, 'failed'],
    ['fails for what is no text', 7, { value: hash('sha256', '7') }, 'failed'],
  ])('%s', async (_, value, equals, status) => {
    const { deps } = shelf({ integrity: [{ kind: 'sha256', of, equals }] });
    expect((await putting(deps, { args: { key: 'a', value } })).status).toBe(status);
  });

  it.each([
    [[1, 2, 3], 3, 'ok'],
    [[1, 2], 3, 'failed'],
    ['abc', 3, 'failed'],
  ])('of %j with %d items', async (value, count, status) => {
    const { deps } = shelf({ integrity: [{ kind: 'count', of, equals: { value: count } }] });
    expect((await putting(deps, { args: { key: 'a', value } })).status).toBe(status);
  });
});

describe('a probe', () => {
  const probe: Verification = { probe: { tool: 'shop:get@1.0.0', args: { key: { value: 'a' } } } };

  it('raises an event when a tool that only reads changed the state, and the caller has its answer', async () => {
    const { deps, events, calls } = shelf(probe, { mutation: 'read_only' });
    expect(await putting(deps)).toMatchObject({ status: 'ok' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['get', 'put', 'get']);
    expect(events).toContainEqual({
      type: 'violation',
      callId: expect.any(String),
      toolId: 'shop:put@1.0.0',
      what: 'a read-only tool changed the state',
    });
  });

  it('sees a change through a cache that remembers how it was', async () => {
    const cache = new ResultCache({ ttlMs: 60_000, maxEntries: 9, allow: ['shop:get'] });
    const { deps, events } = shelf(probe, { mutation: 'read_only', cache });
    await putting(deps);
    expect(events.filter(({ type }) => type === 'violation')).toHaveLength(1);
  });

  it('is silent when it did not, and for tools that may', async () => {
    const quiet = shelf(probe, { mutation: 'read_only', onPut: () => ({ looked: true }) });
    await putting(quiet.deps);
    const writes = shelf(probe);
    await putting(writes.deps);
    for (const { events } of [quiet, writes])
      expect(events.some(({ type }) => type === 'violation')).toBe(false);
  });
});
