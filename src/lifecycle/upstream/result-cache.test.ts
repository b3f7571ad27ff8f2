import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  admissionOf,
  contractOf,
  ECHO,
  ECHO_ID,
  ECHO_RESULT,
  NAMESPACE,
  type RecordingDepsOptions,
  recordingDeps,
  type SendParts,
  send,
} from '../../../test/recording-deps.ts';
import { loadConfig } from '../../app/config/load.ts';
import { createCallControls } from '../../app/wiring/call-controls.ts';
import { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { describeError } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { ToolDescriptor } from '../../contract/tool/descriptor.ts';
import { type Limits, Quota } from '../../governance/quota.ts';
import type { Rule } from '../../governance/rule.ts';
import type { StoredResult } from '../idempotency/stored-result.ts';
import { type CacheKey, type CacheOptions, ResultCache } from './result-cache.ts';

const READ_ONLY: ToolDescriptor = { ...ECHO, hints: { readOnly: true } };
const HOUR_MS = 3_600_000;
const HANG_MS = 20_000;

function cacheWith(options: Partial<CacheOptions> = {}): ResultCache {
  return new ResultCache({ ttlMs: HOUR_MS, maxEntries: 100, ...options });
}

/** Dependencies with a cache, and an upstream whose answers are all different. */
function cachingDeps({ cache = cacheWith(), ...options }: RecordingDepsOptions = {}) {
  let answers = 0;
  const recorded = recordingDeps({
    tools: [READ_ONLY],
    answer: async () => ({ content: [{ type: 'text', text: `answer ${++answers}` }], isError: false }),
    cache,
    ...options,
  });
  return { ...recorded, call: (more: SendParts = {}) => send(recorded.deps, more) };
}

function sourceOf(outcome: Outcome): string {
  if (outcome.status === 'ok') return outcome.provenance.source;
  return outcome.status === 'failed' ? outcome.error.code : outcome.status;
}

function textOf(outcome: Outcome): unknown {
  return outcome.status === 'ok' && outcome.view.content[0];
}

describe('§4.5 order of quota, dry run, cache, dispatch with retry and cache store', () => {
  /** A read-only tool whose first call fails; every dependency records its steps. */
  function recordSteps(more: RecordingDepsOptions = {}, limits: Limits = {}) {
    const steps: string[] = [];
    class RecordingCache extends ResultCache {
      override get(...args: Parameters<ResultCache['get']>): StoredResult | undefined {
        const found = super.get(...args);
        steps.push(found ? 'cache: hit' : 'cache: miss');
        return found;
      }
      override put(...args: Parameters<ResultCache['put']>): void {
        steps.push('cache store');
        super.put(...args);
      }
    }
    class RecordingQuota extends Quota {
      override consume(...args: Parameters<Quota['consume']>): void {
        steps.push('quota: consumed');
        super.consume(...args);
      }
      override check(...args: Parameters<Quota['check']>): void {
        steps.push('quota: checked');
        super.check(...args);
      }
    }
    const quota = new RecordingQuota(limits);
    const allowRule: Rule = {
      name: 'allows',
      perCall: true,
      evaluate: () => {
        steps.push('authorize');
        return { effect: 'allow', text: 'yes' };
      },
    };
    const faults = [new Fault('UPSTREAM_UNAVAILABLE', 'away')];
    const recorded = recordingDeps({
      tools: [{ ...READ_ONLY, declared: { mutation: 'read_only' } }],
      rules: [allowRule],
      cache: new RecordingCache({ ttlMs: HOUR_MS, maxEntries: 10 }),
      retry: { maxAttempts: 2, baseDelayMs: 0, maxDelayMs: 0, codes: ['UPSTREAM_UNAVAILABLE'] },
      answer: async () => {
        steps.push('dispatch');
        const fault = faults.pop();
        if (fault) throw fault;
        return ECHO_RESULT;
      },
      ...more,
    });
    const { deps } = recorded;
    const idempotency = {
      ...deps.idempotency,
      claim: (...args: Parameters<typeof deps.idempotency.claim>) => {
        steps.push('claim');
        return deps.idempotency.claim(...args);
      },
      recordIntent: (...args: Parameters<typeof deps.idempotency.recordIntent>) => {
        steps.push('intent');
        return deps.idempotency.recordIntent(...args);
      },
      complete: (...args: Parameters<typeof deps.idempotency.complete>) => {
        steps.push('complete');
        return deps.idempotency.complete(...args);
      },
    };
    let last: Outcome | undefined;
    const call = async (parts: SendParts = {}): Promise<string[]> => {
      steps.length = 0;
      last = await send({ ...deps, idempotency, quota }, parts);
      return [...steps];
    };
    return { ...recorded, call, lastOutcome: () => last };
  }

  it('runs the steps in this order, and a dry run only checks the quota', async () => {
    const { call, receipts } = recordSteps();
    expect(await call({ dryRun: true })).toEqual(['authorize', 'quota: checked']);
    expect(await call()).toEqual([
      ...['authorize', 'quota: consumed', 'cache: miss', 'dispatch', 'dispatch', 'cache store'],
    ]);
    expect(await call()).toEqual(['authorize', 'quota: consumed', 'cache: hit']);
    expect(await call({ dryRun: true })).toEqual(['authorize', 'quota: checked']);
    expect(receipts).toMatchObject([
      { status: 'dry_run', source: null, attempts: 0 },
      { status: 'ok', source: 'compute', attempts: 2 },
      { status: 'ok', source: 'cache', attempts: 0 },
      { status: 'dry_run', source: null, attempts: 0 },
    ]);
  });

  it('claims the key before the cache, and records the intent before the dispatch', async () => {
    const { call } = recordSteps();
    expect(await call({ idempotencyKey: 'k' })).toEqual([
      ...['authorize', 'quota: consumed', 'claim', 'cache: miss'],
      ...['intent', 'dispatch', 'dispatch', 'complete', 'cache store'],
    ]);
    expect(await call({ idempotencyKey: 'k' })).toEqual(['authorize', 'quota: consumed', 'claim']);
  });

  it('stores nothing of a failed call in the cache', async () => {
    const { call } = recordSteps({
      answer: async () => {
        throw new Fault('UPSTREAM_FAILURE', 'no');
      },
    });
    expect(await call()).toEqual(['authorize', 'quota: consumed', 'cache: miss']);
  });

  it('refuses a dry run beyond the quota, and counts none', async () => {
    const { call, lastOutcome } = recordSteps({}, { tool_execute: { perSession: 1 } });
    for (let i = 0; i < 3; i++) await call({ dryRun: true });
    expect(lastOutcome()?.status).toBe('dry_run');
    await call();
    expect(lastOutcome()?.status).toBe('ok');
    await call({ dryRun: true });
    expect(lastOutcome()).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });

  it.each<[Limits, SendParts]>([
    [{ tool_execute: { perSession: 1 } }, { sessionId: 'another' }],
    [{ 'shop:echo': { perMinute: 1 } }, { principal: { ...LOCAL_USER, id: 'another' } }],
  ])(
    'refuses a call beyond the quota before the cache and the key are used: %o',
    async (limits, otherSubject) => {
      const { call, calls, lastOutcome, receipts } = recordSteps({}, limits);
      await call();
      expect(await call()).toEqual(['authorize', 'quota: consumed']);
      expect(await call({ idempotencyKey: 'k' })).toEqual(['authorize', 'quota: consumed']);
      const [scope] = Object.keys(limits);
      expect(lastOutcome()).toMatchObject({
        error: { code: 'RATE_LIMITED', retryable: true, details: { scope } },
      });
      expect(calls).toHaveLength(2);
      expect(receipts.slice(1)).toMatchObject([{ phase: 'authorize' }, { phase: 'authorize' }]);
      // Another session or caller has its own limit.
      await call(otherSubject);
      expect(lastOutcome()?.status).toBe('ok');
    },
  );

  it('has no quota, cache and retries by default', async () => {
    const { cache, retry, quota } = createCallControls(loadConfig({ settings: {} }));
    expect(quota).toBeUndefined();
    expect(cache).toBeUndefined();
    expect(retry.maxAttempts).toBe(1);
    expect(createCallControls(loadConfig({ settings: { cache: { ttlSeconds: 5 } } })).cache).toBeUndefined();
    expect(createCallControls(loadConfig({ settings: { cache: { readOnly: true } } })).cache).toBeInstanceOf(
      ResultCache,
    );
    const { deps, calls } = recordingDeps({ tools: [READ_ONLY] });
    for (let i = 0; i < 2; i++) expect(sourceOf(await send(deps))).toBe('compute');
    expect(calls).toHaveLength(2);
  });
});

describe('§4.5 two identical calls are dispatched upstream only once', () => {
  it('and the second has the provenance of a cached result', async () => {
    const { call, calls, receipts } = cachingDeps();
    const first = await call();
    const second = await call();
    expect(textOf(second)).toEqual(textOf(first));
    expect(calls).toHaveLength(1);
    expect(second).toMatchObject({
      status: 'ok',
      provenance: { toolId: ECHO_ID, upstream: NAMESPACE, source: 'cache' },
    });
    if (first.status !== 'ok' || second.status !== 'ok') throw new Error('One of the calls failed.');
    expect(second.provenance.executedAt).toBe(first.provenance.executedAt);
    expect(second.provenance).not.toHaveProperty('replayOf');
    expect(receipts.map(({ source, attempts }) => [source, attempts])).toEqual([
      ['compute', 1],
      ['cache', 0],
    ]);
  });

  it('in any order of their arguments, at any depth', async () => {
    const open = { ...READ_ONLY, inputSchema: { type: 'object', additionalProperties: true } };
    const { call, calls } = cachingDeps({ tools: [open] });
    await call({ args: { a: 1, b: { c: [1, 2], d: null } } });
    expect(sourceOf(await call({ args: { b: { d: null, c: [1, 2] }, a: 1 } }))).toBe('cache');
    expect(sourceOf(await call({ args: { b: { d: null, c: [2, 1] }, a: 1 } }))).toBe('compute');
    expect(calls).toHaveLength(2);
  });

  it('but other arguments and another tool are dispatched', async () => {
    const { call } = cachingDeps({ tools: [READ_ONLY, { ...READ_ONLY, name: 'shout' }] });
    const answers = [
      await call(),
      await call({ args: { message: 'else' } }),
      await call({ tool: 'shop:shout@1.0.0' }),
    ];
    expect(answers.map(sourceOf)).toEqual(['compute', 'compute', 'compute']);
    expect(new Set(answers.map((answer) => JSON.stringify(textOf(answer)))).size).toBe(3);
  });

  it('also when one names the tool by its path', async () => {
    const { call } = cachingDeps();
    await call();
    expect(sourceOf(await call({ tool: '/shop/echo' }))).toBe('cache');
  });

  it('and a long result keeps its summary and its handles', async () => {
    const text = Array.from({ length: 2_000 }, (_, i) => `row ${i}`).join('\n');
    const { call } = cachingDeps({
      countTokens: (all) => Math.ceil(all.length / 4),
      answer: async () => ({ content: [{ type: 'text', text }], isError: false }),
    });
    const [first, second] = [await call(), await call()];
    if (first.status !== 'ok' || second.status !== 'ok') throw new Error('One of the calls failed.');
    expect(first.view.kind).toBe('summary');
    expect(second.view).toEqual(first.view);
  });

  it('but a caller whose access was revoked is denied', async () => {
    let revoked = false;
    const { call } = cachingDeps({
      rules: [
        {
          name: 'r',
          perCall: true,
          evaluate: () => ({ effect: revoked ? 'deny' : 'allow', text: 'because' }),
        },
      ],
    });
    await call();
    revoked = true;
    expect(sourceOf(await call())).toBe('AUTHORIZATION_DENIED');
  });

  it.each([
    ['another caller', { ...LOCAL_USER, id: 'somebody-else' }],
    ['another tenant', { ...LOCAL_USER, tenant: 'acme' }],
    ['a caller whose tenant and id concatenate to the same text', { ...LOCAL_USER, tenant: 'loc', id: 'al' }],
  ])('but not when the second comes from %s', async (_, principal) => {
    const { call } = cachingDeps();
    await call();
    expect(sourceOf(await call({ principal }))).toBe('compute');
    expect(sourceOf(await call({ principal }))).toBe('cache');
    expect(textOf(await call({ principal }))).not.toEqual(textOf(await call()));
  });
});

describe('§4.5 mutating tools and error results are never cached', () => {
  it.each([
    ['write_reversible', { hints: {} }],
    ['write_irreversible', { hints: { destructive: true } }],
    [
      'read_only by hint and write_reversible by declaration',
      {
        hints: { readOnly: true },
        declared: { mutation: 'write_reversible' as const },
      },
    ],
  ])('a tool that is %s', async (_, terms) => {
    const { call, calls } = cachingDeps({
      tools: [{ ...ECHO, ...terms }],
      cache: cacheWith({ allow: [ECHO_ID, 'shop:echo'] }),
    });
    for (let i = 0; i < 3; i++) expect(sourceOf(await call())).toBe('compute');
    expect(calls).toHaveLength(3);
  });

  it('an error of the tool or of the upstream; the first result is', async () => {
    const answers: (() => Promise<ToolResult>)[] = [
      async () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
      async () => {
        throw new Fault('UPSTREAM_UNAVAILABLE', 'away');
      },
      async () => ECHO_RESULT,
    ];
    const { call, calls } = cachingDeps({ answer: () => answers[Math.min(calls.length, 3) - 1]!() });
    const outcomes: string[] = [];
    for (let i = 0; i < 4; i++) outcomes.push(sourceOf(await call()));
    expect(outcomes).toEqual(['UPSTREAM_FAILURE', 'UPSTREAM_UNAVAILABLE', 'compute', 'cache']);
    expect(calls).toHaveLength(3);
  });
});

describe('§4.5 caching is operator opt-in', () => {
  it.each([
    ['caches every read-only tool without a list', undefined, true],
    ['caches a tool that is listed by id', [ECHO_ID], true],
    ['caches a tool that is listed by name', ['shop:echo'], true],
    ['caches a tool that matches a listed pattern', ['shop:e*'], true],
    ['does not cache a tool when another pattern is listed', ['*:list_*'], false],
    ['does not cache a tool when another id is listed', ['shop:echo@2.0.0'], false],
    ['does not cache a tool when another name is listed', ['shop:ech'], false],
    ['does not cache a tool when the list is empty', [], false],
  ])('%s', async (_, allow, isCached) => {
    const { call } = cachingDeps({ cache: cacheWith({ allow }) });
    await call();
    expect(sourceOf(await call())).toBe(isCached ? 'cache' : 'compute');
  });
});

describe('§4.5 entries are TTL- and size-bounded, and invalidated wholesale on catalog refresh', () => {
  const contract = contractOf({ hints: { readOnly: true } });
  const keyOf = (inputHash: string): CacheKey => ({ owner: 'me', contract, inputHash });
  const stored: StoredResult = { result: ECHO_RESULT, executedAt: 'then', source: 'compute' };
  const snapshot = new CatalogSnapshot(1, []);

  it('an entry expires after its TTL', async () => {
    const cache = cacheWith({ ttlMs: 300 });
    cache.put(snapshot, keyOf('a'), stored);
    expect(cache.get(snapshot, keyOf('a'))).toBe(stored);
    await pause(400);
    expect(cache.get(snapshot, keyOf('a'))).toBeUndefined();
  });

  it('the least recently used entry is dropped first', () => {
    const cache = cacheWith({ maxEntries: 2 });
    cache.put(snapshot, keyOf('a'), stored);
    cache.put(snapshot, keyOf('b'), stored);
    cache.get(snapshot, keyOf('a'));
    cache.put(snapshot, keyOf('c'), stored);
    const found = ['a', 'b', 'c'].filter((hash) => cache.get(snapshot, keyOf(hash)));
    expect(found).toEqual(['a', 'c']);
  });

  it('there are never more entries than the maximum', () => {
    const cache = cacheWith({ maxEntries: 10 });
    const hashes = Array.from({ length: 500 }, (_, i) => String(i));
    for (const hash of hashes) cache.put(snapshot, keyOf(hash), stored);
    expect(hashes.filter((hash) => cache.get(snapshot, keyOf(hash)))).toEqual(hashes.slice(-10));
  });

  it('keys with the same concatenated text stay distinct', () => {
    const cache = cacheWith();
    cache.put(snapshot, { owner: 'a","b', contract, inputHash: 'c' }, stored);
    expect(cache.get(snapshot, { owner: 'a', contract, inputHash: 'b","c' })).toBeUndefined();
  });

  it('a new catalog starts with an empty cache, even for an unchanged tool', async () => {
    const { call, catalog, calls } = cachingDeps();
    await call();
    expect(sourceOf(await call())).toBe('cache');
    catalog.replace(admissionOf([READ_ONLY]));
    expect(sourceOf(await call())).toBe('compute');
    expect(sourceOf(await call())).toBe('cache');
    expect(calls).toHaveLength(2);
  });

  it('a result of a call from the old catalog is not cached for the new one', async () => {
    const slow = Promise.withResolvers<ToolResult>();
    const { call, catalog, calls } = cachingDeps({
      answer: () => (calls.length === 1 ? slow.promise : Promise.resolve(ECHO_RESULT)),
    });
    const before = call();
    await expect.poll(() => calls.length, { timeout: HANG_MS }).toBe(1);
    catalog.replace(admissionOf([READ_ONLY]));
    slow.resolve(ECHO_RESULT);
    expect(sourceOf(await before)).toBe('compute');
    expect(sourceOf(await call())).toBe('compute');
    expect(calls).toHaveLength(2);
  });
});

describe('§4.6 catalog-refresh consistency', () => {
  const RENAMED = { ...READ_ONLY, name: 'repeat' };
  const HYDRATE_FAILED = 'HYDRATE_FAILED';
  const gatewayCode = (outcome: Outcome): string =>
    outcome.status === 'failed'
      ? describeError(outcome.error.code, outcome.error.variant).gateway
      : outcome.status;

  it('a call in flight is verified against the catalog of its start', async () => {
    const slow = Promise.withResolvers<ToolResult>();
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const { call, catalog, calls, receipts } = cachingDeps({
      tools: [{ ...READ_ONLY, outputSchema }],
      answer: () => slow.promise,
    });
    const { digest } = catalog.snapshot.get('tool', ECHO_ID)!;
    const before = call();
    await expect.poll(() => calls.length, { timeout: HANG_MS }).toBe(1);
    const swapped = catalog.replace(admissionOf([RENAMED]));
    expect(catalog.snapshot).toBe(swapped);
    expect(catalog.snapshot.contracts.map(({ id }) => id)).toEqual(['shop:repeat@1.0.0']);
    slow.resolve({ content: [], structured: { n: 'violates the old schema' }, isError: false });
    expect(await before).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_TOOL_ERROR' } });
    expect(receipts).toMatchObject([{ toolId: ECHO_ID, toolDigest: digest }]);
  });

  it.each(['before', 'after'])('a refresh %s validation does not affect a call in flight', async (when) => {
    const narrow = {
      ...READ_ONLY,
      inputSchema: { type: 'object', properties: { other: { type: 'integer' } } },
    };
    const swap = (): void => void recorded.catalog.replace(admissionOf([narrow, RENAMED]));
    const recorded = cachingDeps({
      rules: [
        {
          name: 'swaps',
          evaluate: () => {
            if (when === 'after') swap();
            return { effect: 'allow', text: 'yes' };
          },
        },
      ],
    });
    const running = recorded.call();
    // The snapshot is taken when the call starts; its arguments are validated in a later turn.
    if (when === 'before') swap();
    expect(await running).toMatchObject({ status: 'ok', provenance: { toolId: ECHO_ID } });
    expect(recorded.calls).toMatchObject([{ toolName: 'echo', args: { message: 'hello' } }]);
  });

  it('a removed tool is refused', async () => {
    const { call, catalog, calls } = cachingDeps();
    await call();
    catalog.replace(admissionOf([]));
    for (const more of [{}, { dryRun: true }, { idempotencyKey: 'k' }, { tool: '/shop/echo' }])
      expect(gatewayCode(await call(more))).toBe(HYDRATE_FAILED);
    expect(calls).toHaveLength(1);
  });

  it('a renamed tool is refused under its old id and called under its new one', async () => {
    const { call, catalog, calls } = cachingDeps({ tools: [READ_ONLY, { ...READ_ONLY, name: 'shout' }] });
    catalog.replace(admissionOf([RENAMED, { ...READ_ONLY, name: 'shout' }]));
    expect(gatewayCode(await call())).toBe(HYDRATE_FAILED);
    expect(calls).toEqual([]);
    expect((await call({ tool: 'shop:repeat@1.0.0' })).status).toBe('ok');
    expect(calls).toMatchObject([{ toolName: 'repeat' }]);
  });

  it('a tool with a changed schema is refused under the id of its old schema', async () => {
    const unversioned = { ...READ_ONLY, version: undefined };
    const { call, catalog, calls } = cachingDeps({ tools: [unversioned] });
    const [old] = catalog.snapshot.contracts;
    const changed = {
      ...unversioned,
      inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
    };
    const [next] = catalog.replace(admissionOf([changed])).contracts;
    expect(gatewayCode(await call({ tool: old!.id }))).toBe(HYDRATE_FAILED);
    expect(calls).toEqual([]);
    expect((await call({ tool: next!.id })).status).toBe('ok');
  });

  it('a tool that was removed and added again starts with an empty cache', async () => {
    const { call, catalog, calls } = cachingDeps();
    await call();
    catalog.replace(admissionOf([]));
    expect(gatewayCode(await call())).toBe(HYDRATE_FAILED);
    catalog.replace(admissionOf([READ_ONLY]));
    expect(sourceOf(await call())).toBe('compute');
    expect(calls).toHaveLength(2);
  });
});
