import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  admissionOf,
  contractOf,
  ECHO,
  ECHO_ID,
  NAMESPACE,
  type RecordingDepsOptions,
  recordingDeps,
  SAID,
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

const READS: ToolDescriptor = { ...ECHO, hints: { readOnly: true } };
const HOUR_MS = 3_600_000;
const HANG_MS = 20_000;

function cacheWith(options: Partial<CacheOptions> = {}): ResultCache {
  return new ResultCache({ ttlMs: HOUR_MS, maxEntries: 100, ...options });
}

/** A deps with a cache, and an answer that is never the same twice. */
function cachingGate({ cache = cacheWith(), ...options }: RecordingDepsOptions = {}) {
  let answers = 0;
  const recorded = recordingDeps({
    tools: [READS],
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

describe('§4.5 quota → dry run → cache → dispatch with retry → cache store', () => {
  /** A read that fails once in passing, with every neighbour noting when it was met. */
  function noting(more: RecordingDepsOptions = {}, limits: Limits = {}) {
    const steps: string[] = [];
    class NotingCache extends ResultCache {
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
    class NotingQuota extends Quota {
      override consume(...args: Parameters<Quota['consume']>): void {
        steps.push('quota: consumed');
        super.consume(...args);
      }
      override check(...args: Parameters<Quota['check']>): void {
        steps.push('quota: checked');
        super.check(...args);
      }
    }
    const quota = new NotingQuota(limits);
    const authorizes: Rule = {
      name: 'allows',
      perCall: true,
      evaluate: () => {
        steps.push('authorize');
        return { effect: 'allow', text: 'yes' };
      },
    };
    const troubles = [new Fault('UPSTREAM_UNAVAILABLE', 'away')];
    const recorded = recordingDeps({
      tools: [{ ...READS, declared: { mutation: 'read_only' } }],
      rules: [authorizes],
      cache: new NotingCache({ ttlMs: HOUR_MS, maxEntries: 10 }),
      retry: { maxAttempts: 2, baseDelayMs: 0, maxDelayMs: 0, codes: ['UPSTREAM_UNAVAILABLE'] },
      answer: async () => {
        steps.push('dispatch');
        const trouble = troubles.pop();
        if (trouble) throw trouble;
        return SAID;
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
    const call = async (arrived: SendParts = {}): Promise<string[]> => {
      steps.length = 0;
      last = await send({ ...deps, idempotency, quota }, arrived);
      return [...steps];
    };
    return { ...recorded, call, lastOutcome: () => last };
  }

  it('in that order, and each at its place', async () => {
    const { call, receipts } = noting();
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

  it('with a key: whose it is, what is remembered, and only then the world', async () => {
    const { call } = noting();
    expect(await call({ idempotencyKey: 'k' })).toEqual([
      ...['authorize', 'quota: consumed', 'claim', 'cache: miss'],
      ...['intent', 'dispatch', 'dispatch', 'complete', 'cache store'],
    ]);
    expect(await call({ idempotencyKey: 'k' })).toEqual(['authorize', 'quota: consumed', 'claim']);
  });

  it('nothing is stored of a call that failed', async () => {
    const { call } = noting({
      answer: async () => {
        throw new Fault('UPSTREAM_FAILURE', 'no');
      },
    });
    expect(await call()).toEqual(['authorize', 'quota: consumed', 'cache: miss']);
  });

  it('a dry run takes no quota, and is judged by it', async () => {
    const { call, lastOutcome } = noting({}, { tool_execute: { perSession: 1 } });
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
    'a breach is RATE_LIMITED whatever is remembered, and no key is asked for: %o',
    async (limits, another) => {
      const { call, calls, lastOutcome, receipts } = noting({}, limits);
      await call();
      expect(await call()).toEqual(['authorize', 'quota: consumed']);
      expect(await call({ idempotencyKey: 'k' })).toEqual(['authorize', 'quota: consumed']);
      const [scope] = Object.keys(limits);
      expect(lastOutcome()).toMatchObject({
        error: { code: 'RATE_LIMITED', retryable: true, details: { scope } },
      });
      expect(calls).toHaveLength(2);
      expect(receipts.slice(1)).toMatchObject([{ phase: 'authorize' }, { phase: 'authorize' }]);
      // Another session, or another caller, has calls of its own.
      await call(another);
      expect(lastOutcome()?.status).toBe('ok');
    },
  );

  it('each is off by default', async () => {
    const { cache, retry, quota } = createCallControls(loadConfig({ settings: {} }));
    expect(quota).toBeUndefined();
    expect(cache).toBeUndefined();
    expect(retry.maxAttempts).toBe(1);
    expect(createCallControls(loadConfig({ settings: { cache: { ttlSeconds: 5 } } })).cache).toBeUndefined();
    expect(createCallControls(loadConfig({ settings: { cache: { readOnly: true } } })).cache).toBeInstanceOf(
      ResultCache,
    );
    const { deps, calls } = recordingDeps({ tools: [READS] });
    for (let i = 0; i < 2; i++) expect(sourceOf(await send(deps))).toBe('compute');
    expect(calls).toHaveLength(2);
  });
});

describe('§4.5 two identical calls dispatch upstream only once', () => {
  it('and the second says where its answer came from, and from when', async () => {
    const { call, calls, receipts } = cachingGate();
    const first = await call();
    const second = await call();
    expect(textOf(second)).toEqual(textOf(first));
    expect(calls).toHaveLength(1);
    expect(second).toMatchObject({
      status: 'ok',
      provenance: { toolId: ECHO_ID, upstream: NAMESPACE, source: 'cache' },
    });
    if (first.status !== 'ok' || second.status !== 'ok') throw new Error('both are well');
    expect(second.provenance.executedAt).toBe(first.provenance.executedAt);
    expect(second.provenance).not.toHaveProperty('replayOf');
    expect(receipts.map(({ source, attempts }) => [source, attempts])).toEqual([
      ['compute', 1],
      ['cache', 0],
    ]);
  });

  it('argument order does not matter, at any depth', async () => {
    const open = { ...READS, inputSchema: { type: 'object', additionalProperties: true } };
    const { call, calls } = cachingGate({ tools: [open] });
    await call({ args: { a: 1, b: { c: [1, 2], d: null } } });
    expect(sourceOf(await call({ args: { b: { d: null, c: [1, 2] }, a: 1 } }))).toBe('cache');
    expect(sourceOf(await call({ args: { b: { d: null, c: [2, 1] }, a: 1 } }))).toBe('compute');
    expect(calls).toHaveLength(2);
  });

  it('other arguments, another tool: another answer', async () => {
    const { call } = cachingGate({ tools: [READS, { ...READS, name: 'shout' }] });
    const answers = [
      await call(),
      await call({ args: { message: 'else' } }),
      await call({ tool: 'shop:shout@1.0.0' }),
    ];
    expect(answers.map(sourceOf)).toEqual(['compute', 'compute', 'compute']);
    expect(new Set(answers.map((answer) => JSON.stringify(textOf(answer)))).size).toBe(3);
  });

  it('the same tool by its path is the same tool', async () => {
    const { call } = cachingGate();
    await call();
    expect(sourceOf(await call({ tool: '/shop/echo' }))).toBe('cache');
  });

  it('a long answer keeps its summary and its handles', async () => {
    const text = Array.from({ length: 2_000 }, (_, i) => `row ${i}`).join('\n');
    const { call } = cachingGate({
      countTokens: (all) => Math.ceil(all.length / 4),
      answer: async () => ({ content: [{ type: 'text', text }], isError: false }),
    });
    const [first, second] = [await call(), await call()];
    if (first.status !== 'ok' || second.status !== 'ok') throw new Error('both are well');
    expect(first.view.kind).toBe('summary');
    expect(second.view).toEqual(first.view);
  });

  it('a caller that was revoked is denied, whatever is remembered', async () => {
    let revoked = false;
    const { call } = cachingGate({
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
    ['a caller whose name runs into the tenant’s', { ...LOCAL_USER, tenant: 'loc', id: 'al' }],
  ])('nothing crosses to %s', async (_, principal) => {
    const { call } = cachingGate();
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
      'read by its own word, a write by the operator’s',
      {
        hints: { readOnly: true },
        declared: { mutation: 'write_reversible' as const },
      },
    ],
  ])('%s', async (_, terms) => {
    const { call, calls } = cachingGate({
      tools: [{ ...ECHO, ...terms }],
      cache: cacheWith({ allow: [ECHO_ID, 'shop:echo'] }),
    });
    for (let i = 0; i < 3; i++) expect(sourceOf(await call())).toBe('compute');
    expect(calls).toHaveLength(3);
  });

  it('an error that the tool reports, nor one of the upstream; the first good answer is', async () => {
    const answers: (() => Promise<ToolResult>)[] = [
      async () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
      async () => {
        throw new Fault('UPSTREAM_UNAVAILABLE', 'away');
      },
      async () => SAID,
    ];
    const { call, calls } = cachingGate({ answer: () => answers[Math.min(calls.length, 3) - 1]!() });
    const outcomes: string[] = [];
    for (let i = 0; i < 4; i++) outcomes.push(sourceOf(await call()));
    expect(outcomes).toEqual(['UPSTREAM_FAILURE', 'UPSTREAM_UNAVAILABLE', 'compute', 'cache']);
    expect(calls).toHaveLength(3);
  });
});

describe('§4.5 caching is operator opt-in', () => {
  it.each([
    ['no list: every tool that says it only reads', undefined, true],
    ['its id', [ECHO_ID], true],
    ['its name', ['shop:echo'], true],
    ['another id', ['shop:echo@2.0.0'], false],
    ['another name', ['shop:ech'], false],
    ['an empty list', [], false],
  ])('%s', async (_, allow, isCached) => {
    const { call } = cachingGate({ cache: cacheWith({ allow }) });
    await call();
    expect(sourceOf(await call())).toBe(isCached ? 'cache' : 'compute');
  });
});

describe('§4.5 entries are TTL- and size-bounded, and invalidated wholesale on catalog refresh', () => {
  const contract = contractOf({ hints: { readOnly: true } });
  const keyOf = (inputHash: string): CacheKey => ({ owner: 'me', contract, inputHash });
  const kept: StoredResult = { result: SAID, executedAt: 'then', source: 'compute' };
  const snapshot = new CatalogSnapshot(1, []);

  it('an answer is forgotten after its time', async () => {
    const cache = cacheWith({ ttlMs: 300 });
    cache.put(snapshot, keyOf('a'), kept);
    expect(cache.get(snapshot, keyOf('a'))).toBe(kept);
    await pause(400);
    expect(cache.get(snapshot, keyOf('a'))).toBeUndefined();
  });

  it('the least recently used goes first', () => {
    const cache = cacheWith({ maxEntries: 2 });
    cache.put(snapshot, keyOf('a'), kept);
    cache.put(snapshot, keyOf('b'), kept);
    cache.get(snapshot, keyOf('a'));
    cache.put(snapshot, keyOf('c'), kept);
    const found = ['a', 'b', 'c'].filter((hash) => cache.get(snapshot, keyOf(hash)));
    expect(found).toEqual(['a', 'c']);
  });

  it('never holds more than it may', () => {
    const cache = cacheWith({ maxEntries: 10 });
    const hashes = Array.from({ length: 500 }, (_, i) => String(i));
    for (const hash of hashes) cache.put(snapshot, keyOf(hash), kept);
    expect(hashes.filter((hash) => cache.get(snapshot, keyOf(hash)))).toEqual(hashes.slice(-10));
  });

  it('owners, ids and arguments never run into each other', () => {
    const cache = cacheWith();
    cache.put(snapshot, { owner: 'a","b', contract, inputHash: 'c' }, kept);
    expect(cache.get(snapshot, { owner: 'a', contract, inputHash: 'b","c' })).toBeUndefined();
  });

  it('a new catalog begins with nothing, even where this tool is the same', async () => {
    const { call, catalog, calls } = cachingGate();
    await call();
    expect(sourceOf(await call())).toBe('cache');
    catalog.replace(admissionOf([READS]));
    expect(sourceOf(await call())).toBe('compute');
    expect(sourceOf(await call())).toBe('cache');
    expect(calls).toHaveLength(2);
  });

  it('what was asked of the old catalog is not remembered in the new one', async () => {
    const slow = Promise.withResolvers<ToolResult>();
    const { call, catalog, calls } = cachingGate({
      answer: () => (calls.length === 1 ? slow.promise : Promise.resolve(SAID)),
    });
    const before = call();
    await expect.poll(() => calls.length, { timeout: HANG_MS }).toBe(1);
    catalog.replace(admissionOf([READS]));
    slow.resolve(SAID);
    expect(sourceOf(await before)).toBe('compute');
    expect(sourceOf(await call())).toBe('compute');
    expect(calls).toHaveLength(2);
  });
});

describe('§4.6 catalog-refresh consistency', () => {
  const RENAMED = { ...READS, name: 'repeat' };
  const HYDRATE_FAILED = 'HYDRATE_FAILED';
  const gatewayCode = (outcome: Outcome): string =>
    outcome.status === 'failed'
      ? describeError(outcome.error.code, outcome.error.variant).gateway
      : outcome.status;

  it('one synchronous swap: a call under way ends with the catalog that it began with', async () => {
    const slow = Promise.withResolvers<ToolResult>();
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const { call, catalog, calls, receipts } = cachingGate({
      tools: [{ ...READS, outputSchema }],
      answer: () => slow.promise,
    });
    const { digest } = catalog.snapshot.get('tool', ECHO_ID)!;
    const before = call();
    await expect.poll(() => calls.length, { timeout: HANG_MS }).toBe(1);
    const swapped = catalog.replace(admissionOf([RENAMED]));
    expect(catalog.snapshot).toBe(swapped);
    expect(catalog.snapshot.contracts.map(({ id }) => id)).toEqual(['shop:repeat@1.0.0']);
    slow.resolve({ content: [], structured: { n: 'not what the old one promised' }, isError: false });
    expect(await before).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_TOOL_ERROR' } });
    expect(receipts).toMatchObject([{ toolId: ECHO_ID, toolDigest: digest }]);
  });

  it.each(['before', 'after'])(
    'a swap %s the arguments were checked changes nothing for that call',
    async (when) => {
      const narrow = {
        ...READS,
        inputSchema: { type: 'object', properties: { other: { type: 'integer' } } },
      };
      const swap = (): void => void recorded.catalog.replace(admissionOf([narrow, RENAMED]));
      const recorded = cachingGate({
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
      // The snapshot is taken when the call begins; its arguments are checked in a later turn.
      if (when === 'before') swap();
      expect(await running).toMatchObject({ status: 'ok', provenance: { toolId: ECHO_ID } });
      expect(recorded.calls).toMatchObject([{ toolName: 'echo', args: { message: 'hello' } }]);
    },
  );

  it('a removed tool fails closed', async () => {
    const { call, catalog, calls } = cachingGate();
    await call();
    catalog.replace(admissionOf([]));
    for (const more of [{}, { dryRun: true }, { idempotencyKey: 'k' }, { tool: '/shop/echo' }])
      expect(gatewayCode(await call(more))).toBe(HYDRATE_FAILED);
    expect(calls).toHaveLength(1);
  });

  it('a renamed tool fails closed under its old id, and is called by its new name under its new one', async () => {
    const { call, catalog, calls } = cachingGate({ tools: [READS, { ...READS, name: 'shout' }] });
    catalog.replace(admissionOf([RENAMED, { ...READS, name: 'shout' }]));
    expect(gatewayCode(await call())).toBe(HYDRATE_FAILED);
    expect(calls).toEqual([]);
    expect((await call({ tool: 'shop:repeat@1.0.0' })).status).toBe('ok');
    expect(calls).toMatchObject([{ toolName: 'repeat' }]);
  });

  it('a tool whose shape changed fails closed under the id of its old shape', async () => {
    const unversioned = { ...READS, version: undefined };
    const { call, catalog, calls } = cachingGate({ tools: [unversioned] });
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

  it('a tool that comes back is there again, and nothing of before is remembered', async () => {
    const { call, catalog, calls } = cachingGate();
    await call();
    catalog.replace(admissionOf([]));
    expect(gatewayCode(await call())).toBe(HYDRATE_FAILED);
    catalog.replace(admissionOf([READS]));
    expect(sourceOf(await call())).toBe('compute');
    expect(calls).toHaveLength(2);
  });
});
