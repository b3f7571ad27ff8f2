import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith } from '../../test/folder.ts';
import { stdioServer } from '../../test/servers/spawn.ts';
import { type Caller, createCaller } from '../contract/call/caller.ts';
import type { Outcome } from '../contract/call/outcome.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import type { NativeTool } from '../upstreams/native/upstream.ts';
import { loadConfig } from './config/load.ts';
import { type Gateway, openGateway } from './gateway.ts';
import { makeLogger } from './logger.ts';
import { clearUsageExamples, listUsageExamples } from './operations/usage-examples.ts';

const ECHO: NativeTool = {
  name: 'echo',
  version: '1.0.0',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
  run: ({ message }) => ({ said: message ?? null }),
};
/** A server that reads its input and never answers, so it stays in state `starting` during a test. */
const SILENT = { command: process.execPath, args: ['-e', 'process.stdin.resume()'], startTimeoutMs: 60_000 };

/** How long a call without a deadline waits for upstreams that are starting. */
const STARTUP_WAIT_MS = 10_000;

async function open(
  settings: Readonly<Record<string, unknown>>,
  more: Partial<Parameters<typeof openGateway>[0]> = {},
): Promise<Gateway> {
  const folder = folderWith();
  const config = {
    ...loadConfig({ settings: { store: { sqlite: join(folder, 'x.sqlite') }, ...settings } }),
    stateFolder: folder,
  };
  const gateway = await openGateway({ config, log: makeLogger('silent'), native: { ours: [ECHO] }, ...more });
  onTestFinished(() => gateway.close());
  return gateway;
}

function callerWithSession({ localUser }: Gateway, sessionId: string | undefined): Caller {
  return createCaller(localUser, { ...(sessionId !== undefined && { sessionId }) });
}

function invoke(gateway: Gateway, tool: string, more: object = {}): Promise<Outcome> {
  return gateway.api.invoke({ caller: createCaller(gateway.localUser), tool, args: {}, ...more });
}

describe('openGateway', () => {
  it('serves native tools in calls and in browse results', async () => {
    const gateway = await open({});
    await gateway.start();
    expect(gateway.upstreams()).toMatchObject([{ namespace: 'ours', state: { kind: 'ready' }, tools: 1 }]);
    expect(await invoke(gateway, 'ours:echo@1.0.0', { args: { message: 'hi' } })).toMatchObject({
      status: 'ok',
      view: { structured: { said: 'hi' } },
    });
    const { cards } = await gateway.api.browse(createCaller(gateway.localUser), { query: 'say again' });
    expect(cards.map(({ id }) => id)).toEqual(['ours:echo@1.0.0']);
  });

  it('gives the local user the scopes of the config', async () => {
    const gateway = await open({ profile: 'team', identity: { localScopes: ['tools:write'] } });
    await gateway.start();
    expect((await invoke(gateway, '/ours/echo')).status).toBe('ok');
    const caller = createCaller({ ...gateway.localUser, scopes: [] });
    expect(await invoke(gateway, '/ours/echo', { caller })).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND' },
    });
  });

  it('starts only the selected upstreams, and none that is disabled', async () => {
    const upstreams = { a: { ...SILENT, enabled: false }, b: SILENT };
    expect((await open({ upstreams }, { only: ['a', 'ours'] })).upstreams()).toMatchObject([
      { namespace: 'ours' },
    ]);
    expect((await open({ upstreams }, { only: [] })).upstreams()).toEqual([]);
    expect((await open({ upstreams })).upstreams().map(({ namespace }) => namespace)).toEqual(['b', 'ours']);
  });

  it('reports an upstream whose secret is missing or whose url is wrong, and serves the others', async () => {
    const states: UpstreamStatus[] = [];
    const gateway = await open(
      {
        upstreams: {
          needy: { command: 'x', env: { TOKEN: '$' + '{env:TOOLGATE_TEST_MISSING}' } },
          wrong: { url: '$' + '{env:PATH}' },
        },
      },
      { onUpstreamState: (status) => states.push(status) },
    );
    await gateway.start();
    expect(gateway.upstreams()).toMatchObject([
      {
        namespace: 'needy',
        state: { kind: 'needs_credentials', reason: expect.stringContaining('is not set') },
      },
      {
        namespace: 'wrong',
        state: { kind: 'misconfigured', reason: expect.stringContaining('is not an http or https address') },
      },
      { namespace: 'ours', state: { kind: 'ready' } },
    ]);
    expect(states.map(({ namespace }) => namespace).toSorted()).toEqual(['needy', 'ours', 'wrong']);
    expect((await invoke(gateway, '/ours/echo')).status).toBe('ok');
    const { unavailable, text } = await gateway.api.browse(createCaller(gateway.localUser), { path: '/' });
    expect(unavailable.map(({ namespace }) => namespace)).toEqual(['needy', 'wrong']);
    expect(text).toContain('Not available: needy (needs credentials), wrong (misconfigured).');
  });

  it('does not disclose internal upstreams to callers', async () => {
    const gateway = await open({
      upstreams: { hidden: { command: 'toolgate-no-such-command', expose: 'internal' } },
    });
    await gateway.start();
    expect(gateway.upstreams().map(({ namespace }) => namespace)).toContain('hidden');
    const answer = await gateway.api.browse(createCaller(gateway.localUser), { query: 'x' });
    expect(JSON.stringify(answer)).not.toContain('hidden');
  });

  it('serves a known tool at once while other upstreams are starting', async () => {
    const gateway = await open({ upstreams: { silent: SILENT } });
    void gateway.start();
    const began = Date.now();
    const outcome = await invoke(gateway, '/ours/echo');
    expect(outcome.status).toBe('ok');
    expect(Date.now() - began).toBeLessThan(STARTUP_WAIT_MS);
    expect(gateway.upstreams().find(({ namespace }) => namespace === 'silent')!.state.kind).toBe('starting');
  });

  it('makes neither the first call nor the first browse of an upstream wait for another that hangs', async () => {
    const gateway = await open({ upstreams: { silent: SILENT, shop: stdioServer('v2-stdio') } });
    void gateway.start();
    const began = Date.now();
    expect((await invoke(gateway, '/shop/echo', { args: { message: 'hi' } })).status).toBe('ok');
    const { cards, unavailable, text } = await gateway.api.browse(createCaller(gateway.localUser), {
      query: 'echo',
    });
    expect(Date.now() - began).toBeLessThan(STARTUP_WAIT_MS);
    expect(cards.map(({ namespace }) => namespace)).toContain('shop');
    expect(unavailable).toMatchObject([{ namespace: 'silent', state: { kind: 'starting' } }]);
    expect(text).toContain('Not available: silent (starting).');
    await expect(
      gateway.api.browse(createCaller(gateway.localUser), { path: '/silent' }),
    ).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryable: true });
  });

  it('ends a call that waits for a starting upstream at its deadline or when its caller disconnects', async () => {
    const gateway = await open({ upstreams: { silent: SILENT } });
    void gateway.start();
    const began = Date.now();
    const outcome = await invoke(gateway, '/silent/any', { deadline: Date.now() + 50 });
    expect(outcome).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
    const disconnected = await invoke(gateway, '/silent/any', { signal: AbortSignal.abort() });
    expect(disconnected).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
    expect(Date.now() - began).toBeLessThan(STARTUP_WAIT_MS);
  });

  it('refuses an invalid catalog under onInvalid: fail, and reports the findings otherwise', async () => {
    const duplicates = [ECHO, { ...ECHO, run: () => 'second' }];
    const strict = await open({ catalog: { onInvalid: 'fail' } }, { native: { ours: duplicates } });
    await strict.start();
    expect(strict.snapshot().contracts).toEqual([]);
    const lenient = await open({}, { native: { ours: duplicates } });
    await lenient.start();
    expect(lenient.snapshot().contracts).toHaveLength(1);
    expect(lenient.snapshot().reports[0]!.findings).toMatchObject([{ kind: 'refused', code: 'DUPLICATE' }]);
  });
});

describe('usage examples', () => {
  const learning = { discovery: { learnFrom: 'principal', embeddings: 'off' } };
  const otherPrincipal = (gateway: Gateway) => ({ ...gateway.localUser, id: 'other' });

  it('are recorded from a query and the call after it, for that caller only', async () => {
    const gateway = await open(learning);
    await gateway.start();
    await gateway.api.browse(createCaller(gateway.localUser), { query: 'repeat a message' });
    await invoke(gateway, 'ours:echo@1.0.0', { args: { message: 'hi' } });
    await invoke(gateway, 'ours:echo@1.0.0', {
      args: { message: 'hi' },
      caller: createCaller(otherPrincipal(gateway)),
    });
    expect(await listUsageExamples(gateway.usage)).toMatchObject([
      { owner: '[null,"local"]', pairs: [{ tool: 'ours:echo', request: 'repeat a message', times: 1 }] },
    ]);
    expect(await clearUsageExamples(gateway, { principalId: 'operator:ann' })).toBe(1);
    expect(await gateway.receipts.list({ kind: 'operator', limit: 10 })).toMatchObject([
      { principalId: 'operator:ann', action: 'clear_examples', details: { owner: null, removed: 1 } },
    ]);
    expect(await listUsageExamples(gateway.usage)).toEqual([]);
  });

  it('are not recorded from a failed call, a dry run or a tool that was not listed', async () => {
    const gateway = await open(learning);
    await gateway.start();
    await gateway.api.browse(createCaller(gateway.localUser), { query: 'again' });
    await invoke(gateway, 'ours:echo@1.0.0', { args: { message: 7 } });
    await invoke(gateway, 'ours:echo@1.0.0', { args: {}, dryRun: true });
    await invoke(gateway, 'ours:echo@1.0.0', { caller: createCaller(otherPrincipal(gateway)) });
    expect(await listUsageExamples(gateway.usage)).toEqual([]);
  });
});

describe('the card order cache_stable', () => {
  it('keeps the order of earlier cards for each session of a caller', async () => {
    const other: NativeTool = { ...ECHO, name: 'aside', description: 'Discards it.' };
    const gateway = await open(
      { discovery: { cardOrder: 'cache_stable' } },
      { native: { ours: [ECHO, other] } },
    );
    await gateway.start();
    const ids = async (query: string, sessionId?: string): Promise<string[]> => {
      const { cards } = await gateway.api.browse(callerWithSession(gateway, sessionId), { query, topK: 1 });
      return cards.map(({ id }) => id);
    };
    const both = async (sessionId?: string): Promise<string[]> => {
      const { cards } = await gateway.api.browse(callerWithSession(gateway, sessionId), { path: '/ours' });
      return cards.map(({ id }) => id);
    };
    expect(await ids('again', 'one')).toEqual(['ours:echo@1.0.0']);
    expect(await both('one')).toEqual(['ours:echo@1.0.0', '__cache_breakpoint__', 'ours:aside@1.0.0']);
    expect(await both('two')).toEqual(['ours:aside@1.0.0', 'ours:echo@1.0.0']);
    await invoke(gateway, 'ours:echo@1.0.0', { caller: callerWithSession(gateway, 'three') });
    expect(await both('three')).toEqual(['ours:echo@1.0.0', '__cache_breakpoint__', 'ours:aside@1.0.0']);
  });
});

describe('the tools section of the config', () => {
  it('overrides the terms of the upstream, and adds examples to the search', async () => {
    const gateway = await open({
      tools: {
        'ours:echo': { mutation: 'read_only', timeoutClass: 'interactive', examples: ['polly wants'] },
      },
    });
    await gateway.start();
    expect(gateway.snapshot().get('tool', 'ours:echo@1.0.0')).toMatchObject({
      mutation: 'read_only',
      timeoutClass: 'interactive',
      examples: [{ query: 'polly wants' }],
    });
    const { cards } = await gateway.api.browse(createCaller(gateway.localUser), {
      query: 'what polly wants',
    });
    expect(cards.map(({ id }) => id)).toEqual(['ours:echo@1.0.0']);
  });
});
