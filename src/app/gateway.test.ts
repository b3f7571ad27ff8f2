import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith } from '../../test/folder.ts';
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
/** A server that reads and never says a word: it is still starting for as long as a test takes. */
const MUTE = { command: process.execPath, args: ['-e', 'process.stdin.resume()'], startTimeoutMs: 60_000 };

/** How long an early caller waits that has all the time in the world. */
const PATIENCE_MS = 10_000;

async function open(
  written: Readonly<Record<string, unknown>>,
  more: Partial<Parameters<typeof openGateway>[0]> = {},
): Promise<Gateway> {
  const folder = folderWith();
  const config = {
    ...loadConfig({ settings: { store: { sqlite: join(folder, 'x.sqlite') }, ...written } }),
    stateFolder: folder,
  };
  const gateway = await openGateway({ config, log: makeLogger('silent'), native: { ours: [ECHO] }, ...more });
  onTestFinished(() => gateway.close());
  return gateway;
}

function callerIn({ localUser }: Gateway, sessionId: string | undefined): Caller {
  return createCaller(localUser, { ...(sessionId !== undefined && { sessionId }) });
}

function invoke(gateway: Gateway, tool: string, more: object = {}): Promise<Outcome> {
  return gateway.api.invoke({ caller: createCaller(gateway.localUser), tool, args: {}, ...more });
}

describe('a gateway', () => {
  it('serves native tools through all phases and browses them', async () => {
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

  it('starts only the upstreams that are wanted, and none that is switched off', async () => {
    const upstreams = { a: { ...MUTE, enabled: false }, b: MUTE };
    expect((await open({ upstreams }, { only: ['a', 'ours'] })).upstreams()).toMatchObject([
      { namespace: 'ours' },
    ]);
    expect((await open({ upstreams }, { only: [] })).upstreams()).toEqual([]);
    expect((await open({ upstreams })).upstreams().map(({ namespace }) => namespace)).toEqual(['b', 'ours']);
  });

  it('keeps an upstream in sight that lacks a secret, and serves the others', async () => {
    const states: UpstreamStatus[] = [];
    const gateway = await open(
      { upstreams: { needy: { command: 'x', env: { TOKEN: '$' + '{env:TOOLGATE_TEST_MISSING}' } } } },
      { onUpstreamState: (status) => states.push(status) },
    );
    await gateway.start();
    expect(gateway.upstreams()).toMatchObject([
      {
        namespace: 'needy',
        state: { kind: 'needs_credentials', reason: expect.stringContaining('is not set') },
      },
      { namespace: 'ours', state: { kind: 'ready' } },
    ]);
    expect(states.map(({ namespace }) => namespace).toSorted()).toEqual(['needy', 'ours']);
    expect((await invoke(gateway, '/ours/echo')).status).toBe('ok');
    const { unavailable, text } = await gateway.api.browse(createCaller(gateway.localUser), { path: '/' });
    expect(unavailable.map(({ namespace }) => namespace)).toEqual(['needy']);
    expect(text).toContain('Not available: needy (needs credentials).');
  });

  it('does not name internal upstreams to callers', async () => {
    const gateway = await open({
      upstreams: { hidden: { command: 'toolgate-no-such-command', expose: 'internal' } },
    });
    await gateway.start();
    expect(gateway.upstreams().map(({ namespace }) => namespace)).toContain('hidden');
    const answer = await gateway.api.browse(createCaller(gateway.localUser), { query: 'x' });
    expect(JSON.stringify(answer)).not.toContain('hidden');
  });

  it('lets a call to a tool that is there pass upstreams that still start', async () => {
    const gateway = await open({ upstreams: { mute: MUTE } });
    void gateway.start();
    const began = Date.now();
    const outcome = await invoke(gateway, '/ours/echo');
    expect(outcome.status).toBe('ok');
    expect(Date.now() - began).toBeLessThan(PATIENCE_MS);
    expect(gateway.upstreams().find(({ namespace }) => namespace === 'mute')!.state.kind).toBe('starting');
  });

  it('keeps an early call no longer than its deadline and its caller', async () => {
    const gateway = await open({ upstreams: { mute: MUTE } });
    void gateway.start();
    const began = Date.now();
    const outcome = await invoke(gateway, '/mute/any', { deadline: Date.now() + 50 });
    expect(outcome).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
    const gone = await invoke(gateway, '/mute/any', { signal: AbortSignal.abort() });
    expect(gone).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
    expect(Date.now() - began).toBeLessThan(PATIENCE_MS);
  });

  it('says of a refused refresh that it was refused, and keeps what it had', async () => {
    const twice = [ECHO, { ...ECHO, run: () => 'second' }];
    const strict = await open({ catalog: { onInvalid: 'fail' } }, { native: { ours: twice } });
    await strict.start();
    expect(strict.snapshot().contracts).toEqual([]);
    const lenient = await open({}, { native: { ours: twice } });
    await lenient.start();
    expect(lenient.snapshot().contracts).toHaveLength(1);
    expect(lenient.snapshot().reports[0]!.findings).toMatchObject([{ kind: 'refused', code: 'DUPLICATE' }]);
  });
});

describe('a gateway that learns', () => {
  const learning = { discovery: { learnFrom: 'principal', embeddings: 'off' } };
  const stranger = (gateway: Gateway) => ({ ...gateway.localUser, id: 'stranger' });

  it('keeps what a caller asked for before it called, for that caller alone', async () => {
    const gateway = await open(learning);
    await gateway.start();
    await gateway.api.browse(createCaller(gateway.localUser), { query: 'says a parrot again' });
    await invoke(gateway, 'ours:echo@1.0.0', { args: { message: 'hi' } });
    await invoke(gateway, 'ours:echo@1.0.0', {
      args: { message: 'hi' },
      caller: createCaller(stranger(gateway)),
    });
    expect(await listUsageExamples(gateway.usage)).toMatchObject([
      { owner: '[null,"local"]', pairs: [{ tool: 'ours:echo', request: 'says a parrot again', times: 1 }] },
    ]);
    expect(await clearUsageExamples(gateway, { principalId: 'operator:ann' })).toBe(1);
    expect(await gateway.receipts.list({ kind: 'operator', limit: 10 })).toMatchObject([
      { principalId: 'operator:ann', action: 'clear_examples', details: { owner: null, removed: 1 } },
    ]);
    expect(await listUsageExamples(gateway.usage)).toEqual([]);
  });

  it('learns nothing from a call that failed, was rehearsed or was not shown', async () => {
    const gateway = await open(learning);
    await gateway.start();
    await gateway.api.browse(createCaller(gateway.localUser), { query: 'again' });
    await invoke(gateway, 'ours:echo@1.0.0', { args: { message: 7 } });
    await invoke(gateway, 'ours:echo@1.0.0', { args: {}, dryRun: true });
    await invoke(gateway, 'ours:echo@1.0.0', { caller: createCaller(stranger(gateway)) });
    expect(await listUsageExamples(gateway.usage)).toEqual([]);
  });
});

describe('a gateway whose cards keep their places', () => {
  it('does so for each session of a caller', async () => {
    const other: NativeTool = { ...ECHO, name: 'aside', description: 'Says it to nobody.' };
    const gateway = await open(
      { discovery: { cardOrder: 'cache_stable' } },
      { native: { ours: [ECHO, other] } },
    );
    await gateway.start();
    const ids = async (query: string, sessionId?: string): Promise<string[]> => {
      const { cards } = await gateway.api.browse(callerIn(gateway, sessionId), { query, topK: 1 });
      return cards.map(({ id }) => id);
    };
    const both = async (sessionId?: string): Promise<string[]> => {
      const { cards } = await gateway.api.browse(callerIn(gateway, sessionId), { path: '/ours' });
      return cards.map(({ id }) => id);
    };
    expect(await ids('again', 'one')).toEqual(['ours:echo@1.0.0']);
    expect(await both('one')).toEqual(['ours:echo@1.0.0', '__cache_breakpoint__', 'ours:aside@1.0.0']);
    expect(await both('two')).toEqual(['ours:aside@1.0.0', 'ours:echo@1.0.0']);
    await invoke(gateway, 'ours:echo@1.0.0', { caller: callerIn(gateway, 'three') });
    expect(await both('three')).toEqual(['ours:echo@1.0.0', '__cache_breakpoint__', 'ours:aside@1.0.0']);
  });
});

describe('terms that an operator states', () => {
  it('beat those of the upstream, and are found by their examples', async () => {
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
