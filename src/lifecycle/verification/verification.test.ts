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

/** A key-value storage: `put` writes a value, `get` reads it, `drop` removes it. `onPut` and `onGet` replace the first two. */
function storageDeps(
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
  const recorded = recordingDeps({
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
      if (call.toolName === 'get' && onGet) return resultOf(await onGet(values, call));
      if (call.toolName === 'get') return resultOf({ value: values.get(key) ?? null, size: values.size });
      if (call.toolName === 'drop') return resultOf({ dropped: values.delete(key) });
      if (onPut) return resultOf(onPut(values, call));
      values.set(key, call.args.value);
      return resultOf({ key, stored: call.args.value });
    },
    ...options,
  });
  return { ...recorded, values };
}

function resultOf(structured: unknown) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(structured) }],
    structured,
    isError: false,
  };
}

function put(deps: RecordingDeps['deps'], more: object = {}): Promise<Outcome> {
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
const WRITE_OTHER_VALUE = (values: Map<string, unknown>): unknown => {
  values.set('a', 'something else');
  return { key: 'a', stored: 7 };
};

const readBackWith = (toolId: string): Verification => ({
  ...READ_BACK,
  readBack: { ...READ_BACK.readBack!, tool: toolId },
});
const YES = { effect: 'allow', text: 'yes' } as const;
const NO = { effect: 'deny', text: 'no' } as const;

/** The admission of another upstream, whose tools a test replaces. */
function otherUpstream(descriptor: ToolDescriptor): Admission {
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
  it('accepts a call whose effect matches, and leaves its own receipt', async () => {
    const { deps, calls, receipts } = storageDeps(READ_BACK);
    expect(await put(deps)).toMatchObject({ status: 'ok' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get']);
    expect(receipts.map(({ toolId, surface }) => [toolId, surface])).toEqual([
      ['shop:get@1.0.0', 'verification'],
      ['shop:put@1.0.0', 'test'],
    ]);
  });

  it('fails a call whose effect does not match, and compensates it', async () => {
    const { deps, calls, values, events } = storageDeps(READ_BACK, { onPut: WRITE_OTHER_VALUE });
    expect(await put(deps)).toMatchObject({
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

  it('reports that a mismatch was not compensated', async () => {
    const { compensate: _, ...without } = READ_BACK;
    const { deps, values } = storageDeps(without, { onPut: WRITE_OTHER_VALUE });
    expect(await put(deps)).toMatchObject({
      error: { message: expect.stringContaining('was not undone'), details: { compensated: false } },
    });
    expect(values.size).toBe(1);
  });

  it.each<[string, Verification, RecordingDepsOptions, string]>([
    ['that does not exist', readBackWith('shop:gone'), {}, 'does not exist'],
    ['that writes', readBackWith('/other/write'), {}, 'is not read-only'],
    [
      'that the caller may not use',
      READ_BACK,
      { rules: [{ name: 'no-get', evaluate: ({ contract: { name } }) => (name === 'get' ? NO : YES) }] },
      'does not exist',
    ],
  ])('refuses a call before any effect when it needs a tool %s', async (...row) => {
    const [, verification, options, reason] = row;
    const { deps, catalog, calls } = storageDeps(verification, options);
    catalog.replace(otherUpstream(tool('write')));
    expect(await put(deps)).toMatchObject({
      error: { code: 'PRECONDITION_FAILED', message: expect.stringContaining(reason) },
    });
    expect(calls).toEqual([]);
    expect(await put(deps, { dryRun: true })).toMatchObject({
      report: {
        checks: expect.arrayContaining([
          { name: 'preconditions', status: 'fail', reason: expect.stringContaining(reason) },
        ]),
      },
    });
  });

  it('is not needed to replay its finding', async () => {
    const { deps, catalog, calls } = storageDeps(readBackWith('/other/read'), { onPut: () => ({}) });
    catalog.replace(otherUpstream(tool('read', { declared: { mutation: 'read_only' } })));
    const first = await put(deps, { idempotencyKey: 'k' });
    catalog.replace(otherUpstream(tool('another')));
    expect(errorOf(await put(deps, { idempotencyKey: 'k' }))).toEqual(errorOf(first));
    expect(await put(deps, { idempotencyKey: 'new' })).toMatchObject({
      error: { code: 'PRECONDITION_FAILED' },
    });
    expect(calls.filter(({ toolName }) => toolName === 'put')).toHaveLength(1);
  });

  it('never uses a tool that is not read-only any more', async () => {
    const { deps, catalog, calls, values } = storageDeps(readBackWith('/other/read'), {
      onPut: (stored, { args }) => {
        catalog.replace(otherUpstream(tool('read')));
        stored.set('a', args.value);
        return {};
      },
    });
    catalog.replace(otherUpstream(tool('read', { declared: { mutation: 'read_only' } })));
    expect(await put(deps)).toMatchObject({
      error: { details: { unchecked: 'PRECONDITION_FAILED', compensated: false } },
    });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put']);
    expect([...values]).toEqual([['a', 7]]);
  });

  it.each<[string, (values: Map<string, unknown>, call: UpstreamCall) => unknown, string]>([
    ['fails', () => Promise.reject(new Fault('UPSTREAM_UNAVAILABLE', 'gone')), 'UPSTREAM_UNAVAILABLE'],
    ['takes too long', () => new Promise(() => {}), 'DEADLINE_EXCEEDED'],
    ['answers without structure', () => 'all is well', 'nothing to compare'],
  ])('that %s fails the call, and the effect is not compensated', async (_, onGet, unchecked) => {
    const { deps, calls, values, events } = storageDeps(READ_BACK, { onGet });
    expect(await put(deps, { deadline: Date.now() + 300 })).toMatchObject({
      error: {
        message: expect.stringMatching(/could not be verified \(.+\); the effect was not undone\.$/),
        details: { unchecked, compensated: false },
      },
    });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get']);
    expect([...values]).toEqual([['a', 7]]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'trouble', what: 'effect not verified' }));
  });

  it('reads the target system and not the cache', async () => {
    const { deps, calls } = storageDeps(READ_BACK, {
      cache: new ResultCache({ ttlMs: 60_000, maxEntries: 9 }),
    });
    await send(deps, { tool: 'shop:get@1.0.0', args: { key: 'a' } });
    expect(await put(deps)).toMatchObject({ status: 'ok' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['get', 'put', 'get']);
  });

  it('does not count against a quota', async () => {
    const { deps } = storageDeps(READ_BACK);
    const quota = new Quota({ tool_execute: { perMinute: 1 }, 'shop:get': { perMinute: 1 } });
    expect(await put({ ...deps, quota })).toMatchObject({ status: 'ok' });
    expect(await put({ ...deps, quota })).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });

  it.each([
    ['a secret', `db_password=${'Tr0ub4dor3x'}`],
    ['a value that is too long for a model', 'x '.repeat(4_000)],
    ['invisible characters', 'zero\u200bwidth'],
  ])('compares the unredacted value: %s', async (_, value) => {
    const { deps, values } = storageDeps(READ_BACK, { countTokens: (text) => text.length });
    expect(await put(deps, { args: { key: 'a', value } })).toMatchObject({ status: 'ok' });
    expect(values.get('a')).toBe(value);
  });

  it('does not disclose the compared values', async () => {
    const { deps, events, receipts } = storageDeps(READ_BACK, {
      onPut: (values) => values.set('a', 'sh0uld-n0t-be-sh0wn'),
    });
    const outcome = await put(deps, { args: { key: 'a', value: 'n0r-sh0uld-this' } });
    expect(outcome.status).toBe('failed');
    const published = events.filter(({ type }) => type !== 'started');
    expect(JSON.stringify([outcome, receipts, published])).not.toMatch(/sh0uld/);
  });

  it('is not verified itself, so that checks never run in a loop', async () => {
    const both: Verification = { ...READ_BACK, probe: { tool: 'shop:get@1.0.0', args: {} } };
    const { deps, calls } = storageDeps(READ_BACK, {
      onPut: WRITE_OTHER_VALUE,
      drop: { verification: both },
    });
    await put(deps);
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get', 'drop']);
  });

  it('continues when the caller disconnects, and its finding is replayed to the next call', async () => {
    const disconnect = new AbortController();
    const { deps, calls } = storageDeps(READ_BACK, {
      onGet: async (values) => {
        disconnect.abort();
        await pause(20);
        return { value: values.get('a') };
      },
    });
    await put(deps, { idempotencyKey: 'k', signal: disconnect.signal });
    expect(await put(deps, { idempotencyKey: 'k' })).toMatchObject({
      status: 'ok',
      provenance: { source: 'replay' },
    });
    expect(calls).toHaveLength(2);
  });

  it('runs once for a key, and so does the compensation', async () => {
    const { deps, calls } = storageDeps(READ_BACK, { onPut: WRITE_OTHER_VALUE });
    const first = await put(deps, { idempotencyKey: 'k' });
    const again = await put(deps, { idempotencyKey: 'k' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get', 'drop']);
    expect(errorOf(again)).toEqual(errorOf(first));
    expect(errorOf(again)).toMatchObject({ details: { compensated: true } });
  });

  it('that throws fails the call, and every later call with the key', async () => {
    const { deps } = storageDeps(READ_BACK);
    const fail = () => Promise.reject(new Error('a bug'));
    const broken = { ...deps, internalCalls: { readBack: fail, compensate: fail } };
    const first = await put(broken, { idempotencyKey: 'k' });
    expect(first).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_TOOL_ERROR' } });
    expect(errorOf(await put(broken, { idempotencyKey: 'k' }))).toEqual(errorOf(first));
  });

  it.each([
    [{ at: '/value', exists: true }, 'ok'],
    [{ at: '/nothing', exists: false }, 'ok'],
    [{ at: '/nothing', exists: true }, 'failed'],
    [{ at: '/value', equals: { value: 7 } }, 'ok'],
    [{ at: '/value', equals: { value: '7' } }, 'failed'],
    [{ at: '/nothing', equals: { from: 'args' as const, at: '/nothing' } }, 'failed'],
  ])('with the expectation %j ends %s', async (expectation, status) => {
    const { deps } = storageDeps({ readBack: { ...READ_BACK.readBack!, expect: [expectation] } });
    expect((await put(deps)).status).toBe(status);
  });
});

describe('a compensation', () => {
  it('has its own timeout and key, and cannot be cancelled by the caller', async () => {
    const disconnect = new AbortController();
    const { deps, calls, values } = storageDeps(READ_BACK, {
      onPut: WRITE_OTHER_VALUE,
      onGet: () => {
        disconnect.abort();
        return { value: 'something else' };
      },
      drop: { idempotency: { key: 'required', windowMs: 3_600_000 }, timeoutClass: 'standard' },
    });
    const deadline = Date.now() + 1_000;
    const outcome = await put(deps, { deadline, signal: disconnect.signal, idempotencyKey: 'k' });
    expect(outcome).toMatchObject({ error: { details: { compensated: true } } });
    expect(values.size).toBe(0);
    const [putCall, , dropCall] = calls;
    expect(dropCall!.deadline).toBeGreaterThan(deadline);
    expect(dropCall!.signal.aborted).toBe(false);
    expect(dropCall!.idempotencyKey).toMatch(/^[0-9a-f]{64}$/);
    expect(dropCall!.idempotencyKey).not.toBe(putCall!.idempotencyKey);
  });

  it('has a key even if its call has none', async () => {
    const { deps, calls } = storageDeps(READ_BACK, {
      onPut: WRITE_OTHER_VALUE,
      drop: { idempotency: { key: 'required', windowMs: 3_600_000 } },
    });
    expect(await put(deps)).toMatchObject({ error: { details: { compensated: true } } });
    expect(calls[2]!.idempotencyKey).toBeDefined();
  });
});

describe('an integrity check', () => {
  const of = { from: 'result' as const, at: '/stored' };

  it.each([
    ['accepts a text with the expected digest', 'text', { value: hash('sha256', 'text') }, 'ok'],
    ['refuses a text with another digest', 'text', { value: hash('sha256', 'other') }, 'failed'],
    ['refuses a value that is not a text', 7, { value: hash('sha256', '7') }, 'failed'],
  ])('%s', async (_, value, equals, status) => {
    const { deps } = storageDeps({ integrity: [{ kind: 'sha256', of, equals }] });
    expect((await put(deps, { args: { key: 'a', value } })).status).toBe(status);
  });

  it.each([
    [[1, 2, 3], 3, 'ok'],
    [[1, 2], 3, 'failed'],
    ['abc', 3, 'failed'],
  ])('of %j with the expected count %d ends %s', async (value, count, status) => {
    const { deps } = storageDeps({ integrity: [{ kind: 'count', of, equals: { value: count } }] });
    expect((await put(deps, { args: { key: 'a', value } })).status).toBe(status);
  });
});

describe('a state probe', () => {
  const probe: Verification = { probe: { tool: 'shop:get@1.0.0', args: { key: { value: 'a' } } } };

  it('reports a violation when a read-only tool changed the state, and the call succeeds', async () => {
    const { deps, events, calls } = storageDeps(probe, { mutation: 'read_only' });
    expect(await put(deps)).toMatchObject({ status: 'ok' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['get', 'put', 'get']);
    expect(events).toContainEqual({
      type: 'violation',
      callId: expect.any(String),
      toolId: 'shop:put@1.0.0',
      what: 'a read-only tool changed the state',
    });
  });

  it('detects a change although the old state is cached', async () => {
    const cache = new ResultCache({ ttlMs: 60_000, maxEntries: 9, allow: ['shop:get'] });
    const { deps, events } = storageDeps(probe, { mutation: 'read_only', cache });
    await put(deps);
    expect(events.filter(({ type }) => type === 'violation')).toHaveLength(1);
  });

  it('reports nothing when the state is unchanged, nor for tools that write', async () => {
    const unchanged = storageDeps(probe, { mutation: 'read_only', onPut: () => ({ read: true }) });
    await put(unchanged.deps);
    const writing = storageDeps(probe);
    await put(writing.deps);
    for (const { events } of [unchanged, writing])
      expect(events.some(({ type }) => type === 'violation')).toBe(false);
  });
});
