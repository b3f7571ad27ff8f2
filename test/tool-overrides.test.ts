/** What the config states about tools has an effect on real calls, and what has none is reported. */
import { describe, expect, it } from 'vitest';
import { createCaller } from '../src/contract/call/caller.ts';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { EVERYTHING } from './cli.ts';
import { errorCodeOf, openedGateway, openTestGateway, textOf } from './gateway.ts';

function tool(name: string, more: Partial<NativeTool> = {}): NativeTool {
  return {
    name,
    version: '1.0.0',
    description: `Does ${name}.`,
    inputSchema: { type: 'object' },
    run: (args) => ({ name, args }),
    ...more,
  };
}

describe('profile production', () => {
  it('refuses the tools of an MCP server, and admits those that the config completes', async () => {
    const settings = { profile: 'production', identity: { localScopes: ['demo'] } };
    const bare = await openTestGateway({ everything: EVERYTHING }, { settings });
    expect(bare.toolNames('everything')).toEqual([]);
    await bare.close();
    const { gateway, call, toolNames } = await openedGateway(
      { everything: EVERYTHING },
      {
        settings: {
          ...settings,
          tools: {
            'everything:*': { timeoutClass: 'standard', requiredScopes: ['demo'], mutation: 'read_only' },
            'everything:get-*': { requiredScopes: ['other'] },
            'everything:echo': { version: '2.0.0', credential: 'none', labels: { team: 'demo' } },
          },
        },
      },
    );
    expect(toolNames('everything')).toHaveLength(12);
    expect(gateway.snapshot().resolve('tool', 'everything:echo')).toMatchObject({
      id: 'everything:echo@2.0.0',
      timeoutClass: 'standard',
      authorization: { requiredScopes: ['demo'], credential: 'none' },
      labels: { team: 'demo' },
    });
    expect(textOf(await call('everything:echo', { message: 'hi' }))).toBe('Echo: hi');
    expect(errorCodeOf(await call('everything:get-sum', { a: 1, b: 2 }))).toBe('TOOL_NOT_FOUND');
    expect(gateway.configFindings()).toEqual([]);
  });
});

describe('overrides of a native tool', () => {
  it('change its version, timeout, scopes, key rule, cost and side effects', async () => {
    const sideEffects = [{ resource: 'file', action: 'DELETE', scope: 'one' }];
    const cost = { perCall: 2 };
    const { gateway, call } = await openedGateway(
      {},
      {
        native: { files: [tool('slow', { run: () => new Promise(() => {}) }), tool('write')] },
        settings: {
          tools: {
            'files:slow': { timeoutClass: 'interactive' },
            'files:write': { version: '9', idempotency: { key: 'required' }, sideEffects, cost },
          },
        },
      },
    );
    expect(errorCodeOf(await call('files:slow'))).toBe('DEADLINE_EXCEEDED');
    expect(errorCodeOf(await call('files:write@9'))).toBe('INVALID_INPUT');
    expect(errorCodeOf(await call('files:write@9', { any: 1 }, { idempotencyKey: 'key-1234567890' }))).toBe(
      'ok',
    );
    expect(await call('files:write@9', {}, { dryRun: true })).toMatchObject({
      report: { sideEffects, cost },
    });
    const { cards } = await gateway.api.browse(createCaller(gateway.localUser), { path: '/files/write' });
    expect(cards).toMatchObject([{ costHint: 2 }]);
  });
});

describe('rate limits', () => {
  it.each(['files:read@1.0.0', 'files:read', 'files:*', '*', 'files:my read'])(
    'are enforced under %s',
    async (key) => {
      const name = key === 'files:my read' ? 'my read' : 'read';
      const { call } = await openedGateway(
        {},
        {
          native: { files: [tool(name)], other: [tool('read')] },
          settings: { rateLimits: { [key]: { perSession: 1 } } },
        },
      );
      const path = `/files/${name.replace(' ', '_')}`;
      expect([errorCodeOf(await call(path)), errorCodeOf(await call(path))]).toEqual(['ok', 'RATE_LIMITED']);
      expect(errorCodeOf(await call('/other/read'))).toBe(key === '*' ? 'RATE_LIMITED' : 'ok');
    },
  );
});

describe('keys of the config that match no tool', () => {
  const native = { files: [tool('read_file'), tool('off')] };

  it('are reported with the tool that was most likely meant', async () => {
    const { gateway } = await openedGateway(
      { disabled: { command: 'x', enabled: false } },
      {
        native,
        settings: {
          tools: {
            'files:raed_file': {},
            'fils:read_file': {},
            'files:write_*': {},
            'files:off': { enabled: false },
            'disabled:x': {},
          },
          rateLimits: { 'files:read_file@1.0.1': {}, 'files:read_file': {}, tool_execute: { perMinute: 9 } },
          cache: { allow: ['*:nothing', 'files:*'] },
        },
      },
    );
    expect(gateway.configFindings()).toEqual([
      'tools."files:raed_file": no such tool; did you mean "files:read_file"?',
      'tools."fils:read_file": no upstream is named "fils"; did you mean "files"?',
      'tools."files:write_*": matches no tool',
      'rateLimits."files:read_file@1.0.1": no such tool; did you mean "files:read_file@1.0.0"?',
      'cache.allow "*:nothing": matches no tool',
    ]);
  });

  it('are not reported while an upstream that may have the tool is not ready', async () => {
    const { gateway } = await openedGateway(
      { broken: { command: 'toolgate-no-such-command', tools: { deny: ['x'] } } },
      { settings: { tools: { 'broken:tool': {}, '*:tool': {} } } },
    );
    expect(gateway.configFindings()).toEqual([]);
  });
});

it('catalog.onInvalid: fail makes the state of the upstream invalid, with the reason', async () => {
  const shown: string[] = [];
  const { gateway, state, url } = await openedGateway(
    {},
    {
      native: { bad: [tool('a'), tool('a')], good: [tool('b')] },
      settings: { catalog: { onInvalid: 'fail' } },
      onUpstreamState: ({ namespace, state: { kind } }) => shown.push(`${namespace} ${kind}`),
    },
  );
  expect(state('bad')).toMatchObject({
    kind: 'invalid',
    reason: expect.stringContaining('its tool a was refused'),
  });
  expect(shown).toEqual(['bad invalid', 'good ready']);
  const { unavailable } = await gateway.api.browse(createCaller(gateway.localUser), { path: '/' });
  expect(unavailable.map(({ namespace }) => namespace)).toEqual(['bad']);
  expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({
    upstreams: [{ namespace: 'bad', state: 'invalid' }, { state: 'ready' }],
  });
});
