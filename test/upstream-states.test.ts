/** What becomes of an upstream's tools while the upstream comes and goes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCaller } from '../src/contract/call/caller.ts';
import {
  linesOf,
  openedGateway,
  openTestGateway,
  processesIn,
  type TestGateway,
  temporaryFolder,
  textOf,
  until,
} from './gateway.ts';
import { EVERY_KIND } from './servers/fixture-server.ts';
import { startHttpServer, stdioServer } from './servers/spawn.ts';

const OFTEN = { probeIntervalMs: 200, startTimeoutMs: 3_000 };

async function tagsOf({ gateway }: TestGateway, path: string): Promise<string[][]> {
  const { cards } = await gateway.api.browse(createCaller(gateway.localUser), { path });
  return cards.map(({ tags }) => [...tags]);
}

describe('tools of an upstream that is gone', () => {
  it.each(['v1-http', 'v2-http'] as const)(
    '%s: stay, marked, and come back by themselves',
    async (server) => {
      const first = await startHttpServer(server);
      const shop = await openedGateway({ shop: { url: first.url, ...OFTEN } });
      const names = shop.toolNames('shop');
      expect((await tagsOf(shop, '/shop')).flat()).not.toContain('unavailable');

      await first.kill();
      await until('the loss to be noticed', () => shop.state('shop').kind === 'unavailable');
      expect(shop.toolNames('shop')).toEqual(names);
      expect(await tagsOf(shop, '/shop')).toEqual(names.map(() => ['unavailable']));
      const { text } = await shop.gateway.api.browse(createCaller(shop.gateway.localUser), { query: 'echo' });
      expect(text).toContain('Not available: shop (down).');

      await startHttpServer(server, '--port', String(first.port));
      await until('its return', () => shop.state('shop').kind === 'ready');
      expect((await tagsOf(shop, '/shop')).flat()).not.toContain('unavailable');
      expect(textOf(await shop.call('/shop/echo', { message: 'back' }))).toBe('Echo: back');
    },
  );

  it('come back with a new process, without a call', async () => {
    const seen: string[] = [];
    const { call, state } = await openedGateway(
      { shop: stdioServer('v2-stdio') },
      { onUpstreamState: ({ state: { kind } }) => void seen.push(kind) },
    );
    process.kill(Number(textOf(await call('/shop/pid'))), 'SIGKILL');
    await until('the loss to be noticed', () => seen.includes('unavailable'));
    await until('its return', () => state('shop').kind === 'ready');
    expect(seen.slice(0, 4)).toEqual(['starting', 'ready', 'unavailable', 'ready']);
  });

  it.each(['v1-http', 'v2-http'] as const)('%s: hung, it is noticed and comes back', async (server) => {
    const running = await startHttpServer(server);
    const { state, call } = await openedGateway({ shop: { url: running.url, ...OFTEN } });
    running.process.kill('SIGSTOP');
    await until('the silence to be noticed', () => state('shop').kind === 'unavailable');
    running.process.kill('SIGCONT');
    await until('its return', () => state('shop').kind === 'ready');
    expect(textOf(await call('/shop/echo', { message: 'awake' }))).toBe('Echo: awake');
  });

  it('are not given up while the server is busy with a call', async () => {
    const log = join(temporaryFolder(), 'log');
    const seen: string[] = [];
    const { call, state } = await openedGateway(
      { shop: { ...stdioServer('v1-stdio', '--log', log), probeIntervalMs: 200 } },
      { onUpstreamState: ({ state: { kind } }) => void seen.push(kind) },
    );
    const processes = processesIn(log).length;
    expect(textOf(await call('/shop/busy', { ms: 8_000 }))).toBe('done');
    await until('its return', () => state('shop').kind === 'ready');
    expect(seen).toContain('unavailable');
    expect(processesIn(log)).toHaveLength(processes);
  });
});

it('waits longer and longer for a server that keeps crashing, however its callers insist', async () => {
  const log = join(temporaryFolder(), 'log');
  const waits: number[] = [];
  const { call, toolNames } = await openedGateway(
    { shop: stdioServer('v1-stdio', '--log', log, '--die-after', '20') },
    {
      onUpstreamState: ({ state }) => {
        if (state.kind === 'unavailable') waits.push(Date.parse(state.retryAt!) - Date.parse(state.since));
      },
    },
  );
  const end = Date.now() + 3_000;
  while (Date.now() < end) await call('/shop/echo', { message: 'hello?' });
  expect(waits.length).toBeGreaterThan(1);
  for (const [losses, wait] of waits.entries()) {
    // At once after the first loss, then at least half of a time that doubles.
    expect(wait).toBeGreaterThanOrEqual(losses === 0 ? -50 : 125 * 2 ** (losses - 1) - 1);
  }
  // One that was asked for its era, one that began, and as many as such waits leave room for.
  expect(processesIn(log).length).toBeLessThanOrEqual(8);
  expect(toolNames('shop')).toContain('echo');
});

describe('the era that a server speaks', () => {
  it.each([
    { server: 'v1-stdio', kind: 'legacy', protocol: '2025-11-25' },
    { server: 'v2-stdio', kind: 'modern', protocol: '2026-07-28' },
  ] as const)('$server: is asked once, and remembered', async ({ server, kind, protocol }) => {
    const home = temporaryFolder();
    const log = join(home, 'log');
    const upstreams = { shop: stdioServer(server, '--log', log) };

    const first = await openTestGateway(upstreams, { home });
    expect(first.state('shop')).toMatchObject({ kind: 'ready', protocol });
    await first.close();
    expect(processesIn(log)).toHaveLength(2);
    const remembered = Object.values(JSON.parse(readFileSync(join(home, 'eras.json'), 'utf8')));
    expect(remembered).toEqual([expect.objectContaining({ verdict: expect.objectContaining({ kind }) })]);

    const second = await openedGateway(upstreams, { home });
    expect(second.state('shop')).toMatchObject({ kind: 'ready', protocol });
    expect(textOf(await second.call('/shop/echo', { message: 'again' }))).toBe('Echo: again');
    expect(processesIn(log)).toHaveLength(3);
  });

  it.each([
    { before: 'v2-stdio', after: 'v1-stdio', protocol: '2025-11-25' },
    { before: 'v1-stdio', after: 'v2-stdio --modern-only', protocol: '2026-07-28' },
  ])('is asked again when $before was replaced by $after', async ({ before, after, protocol }) => {
    const home = temporaryFolder();
    const choice = join(home, 'choice');
    const upstreams = { shop: stdioServer('either', choice) };
    writeFileSync(choice, before);
    await (await openTestGateway(upstreams, { home })).close();
    writeFileSync(choice, after);
    const { state, call } = await openedGateway(upstreams, { home });
    expect(state('shop')).toMatchObject({ kind: 'ready', protocol });
    expect(textOf(await call('/shop/echo', { message: 'new' }))).toBe('Echo: new');
  });

  it('does not change what a result holds', async () => {
    const { call, state } = await openedGateway({
      'old-stdio': stdioServer('v1-stdio'),
      'new-stdio': stdioServer('v2-stdio'),
      'old-http': { url: (await startHttpServer('v1-http')).url },
      'new-http': { url: (await startHttpServer('v2-http')).url },
    });
    for (const name of ['old-stdio', 'old-http'])
      expect(state(name)).toMatchObject({ protocol: '2025-11-25' });
    for (const name of ['new-stdio', 'new-http'])
      expect(state(name)).toMatchObject({ protocol: '2026-07-28' });
    for (const name of ['old-stdio', 'new-stdio', 'old-http', 'new-http']) {
      const outcome = await call(`/${name}/every-kind`);
      expect(outcome, name).toMatchObject({ status: 'ok', view: { kind: 'whole' } });
      expect(outcome, name).toHaveProperty('view.content', EVERY_KIND.content);
      expect(outcome, name).toHaveProperty('view.structured', EVERY_KIND.structuredContent);
    }
  });
});

it('reads every page of a list', async () => {
  const log = join(temporaryFolder(), 'log');
  const { toolNames } = await openedGateway({
    shop: stdioServer('v2-stdio', '--log', log, '--extra', '12', '--page-size', '4'),
  });
  expect(toolNames('shop')).toHaveLength(20);
  expect(toolNames('shop')).toEqual(expect.arrayContaining(['echo', 'extra-1', 'extra-12']));
  expect(linesOf(log, 'list')).toEqual(['list', 'list 4', 'list 8', 'list 12', 'list 16']);
});

it('keeps both of two upstreams whose tools have the same names', async () => {
  const { call, toolNames } = await openedGateway({
    left: stdioServer('v1-stdio'),
    right: stdioServer('v2-stdio'),
  });
  expect(toolNames('left')).toEqual(toolNames('right'));
  expect(textOf(await call('/left/pid'))).not.toBe(textOf(await call('/right/pid')));
});
