/** The tools of an upstream while its server stops, hangs, restarts and is upgraded. */
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

const FAST_PROBES = { probeIntervalMs: 200, startTimeoutMs: 3_000 };

async function tagsOf({ gateway }: TestGateway, path: string): Promise<string[][]> {
  const { cards } = await gateway.api.browse(createCaller(gateway.localUser), { path });
  return cards.map(({ tags }) => [...tags]);
}

describe('tools of an upstream whose server is gone', () => {
  it.each(['v1-http', 'v2-http'] as const)(
    '%s: stay listed as unavailable and become available again by themselves',
    async (server) => {
      const first = await startHttpServer(server);
      const shop = await openedGateway({ shop: { url: first.url, ...FAST_PROBES } });
      const names = shop.toolNames('shop');
      expect((await tagsOf(shop, '/shop')).flat()).not.toContain('unavailable');

      await first.kill();
      await until('the loss to be noticed', () => shop.state('shop').kind === 'unavailable');
      expect(shop.toolNames('shop')).toEqual(names);
      expect(await tagsOf(shop, '/shop')).toEqual(names.map(() => ['unavailable']));
      const { text } = await shop.gateway.api.browse(createCaller(shop.gateway.localUser), { query: 'echo' });
      expect(text).toContain('Not available: shop (down).');

      await startHttpServer(server, '--port', String(first.port));
      await until('the reconnect', () => shop.state('shop').kind === 'ready');
      expect((await tagsOf(shop, '/shop')).flat()).not.toContain('unavailable');
      expect(textOf(await shop.call('/shop/echo', { message: 'back' }))).toBe('Echo: back');
    },
  );

  it('become available with a new process, without a call', async () => {
    const seen: string[] = [];
    const { call, state } = await openedGateway(
      { shop: stdioServer('v2-stdio') },
      { onUpstreamState: ({ state: { kind } }) => void seen.push(kind) },
    );
    process.kill(Number(textOf(await call('/shop/pid'))), 'SIGKILL');
    await until('the loss to be noticed', () => seen.includes('unavailable'));
    await until('the reconnect', () => state('shop').kind === 'ready');
    expect(seen.slice(0, 4)).toEqual(['starting', 'ready', 'unavailable', 'ready']);
  });

  it.each(['v1-http', 'v2-http'] as const)(
    '%s: become unavailable while the server hangs, and available after it',
    async (server) => {
      const running = await startHttpServer(server);
      const { state, call } = await openedGateway({ shop: { url: running.url, ...FAST_PROBES } });
      running.process.kill('SIGSTOP');
      await until('the hang to be noticed', () => state('shop').kind === 'unavailable');
      running.process.kill('SIGCONT');
      await until('the reconnect', () => state('shop').kind === 'ready');
      expect(textOf(await call('/shop/echo', { message: 'awake' }))).toBe('Echo: awake');
    },
  );

  it('keep their connection while the server is busy with a call', async () => {
    const log = join(temporaryFolder(), 'log');
    const seen: string[] = [];
    const { call, state } = await openedGateway(
      { shop: { ...stdioServer('v1-stdio', '--log', log), probeIntervalMs: 200 } },
      { onUpstreamState: ({ state: { kind } }) => void seen.push(kind) },
    );
    const processes = processesIn(log).length;
    expect(textOf(await call('/shop/busy', { ms: 8_000 }))).toBe('done');
    await until('the reconnect', () => state('shop').kind === 'ready');
    expect(seen).toContain('unavailable');
    expect(processesIn(log)).toHaveLength(processes);
  });
});

it('backs off from a server that keeps crashing, also while calls wait for it', async () => {
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
    // No wait after the first loss, then at least half of a delay that doubles.
    expect(wait).toBeGreaterThanOrEqual(losses === 0 ? -50 : 125 * 2 ** (losses - 1) - 1);
  }
  // One process for the start, and one for each reconnect that the backoff allows.
  expect(processesIn(log).length).toBeLessThanOrEqual(8);
  expect(toolNames('shop')).toContain('echo');
});

describe('the protocol era of a server', () => {
  it.each([
    { server: 'v1-stdio', kind: 'legacy', protocol: '2025-11-25' },
    { server: 'v2-stdio', kind: 'modern', protocol: '2026-07-28' },
  ] as const)(
    '$server: is probed on the process that serves it, and cached',
    async ({ server, kind, protocol }) => {
      const home = temporaryFolder();
      const log = join(home, 'log');
      const upstreams = { shop: stdioServer(server, '--log', log) };

      const first = await openTestGateway(upstreams, { home });
      expect(first.state('shop')).toMatchObject({ kind: 'ready', protocol });
      await first.close();
      expect(processesIn(log)).toHaveLength(1);
      const cached = Object.values(JSON.parse(readFileSync(join(home, 'eras.json'), 'utf8')));
      expect(cached).toEqual([expect.objectContaining({ verdict: expect.objectContaining({ kind }) })]);

      const second = await openedGateway(upstreams, { home });
      expect(second.state('shop')).toMatchObject({ kind: 'ready', protocol });
      expect(textOf(await second.call('/shop/echo', { message: 'again' }))).toBe('Echo: again');
      expect(processesIn(log)).toHaveLength(2);
    },
  );

  it.each([
    { before: 'v2-stdio', after: 'v1-stdio', protocol: '2025-11-25' },
    { before: 'v1-stdio', after: 'v2-stdio --modern-only', protocol: '2026-07-28' },
  ])('is probed again when $before was replaced by $after', async ({ before, after, protocol }) => {
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

  it('is found with a second process for a server that exits at the probe, and cached', async () => {
    const home = temporaryFolder();
    const log = join(home, 'log');
    const upstreams = { shop: stdioServer('raw-stdio', '2025', 'exits-at-probe', '--log', log) };
    const first = await openTestGateway(upstreams, { home });
    expect(first.state('shop')).toMatchObject({ kind: 'ready', protocol: '2025-11-25' });
    await first.close();
    expect(processesIn(log)).toHaveLength(2);
    await openedGateway(upstreams, { home });
    expect(processesIn(log)).toHaveLength(3);
  });

  it('is the one that the config fixes, also for a server of both', async () => {
    const { state } = await openedGateway({
      old: { ...stdioServer('v2-stdio'), era: 2025 },
      new: { ...stdioServer('v2-stdio'), era: 2026 },
      'too-new': { ...stdioServer('v1-stdio'), era: 2026 },
      'too-old': { url: (await startHttpServer('v2-http', '--modern-only')).url, era: 2025 },
    });
    expect(state('old')).toMatchObject({ kind: 'ready', protocol: '2025-11-25' });
    expect(state('new')).toMatchObject({ kind: 'ready', protocol: '2026-07-28' });
    const reason = (era: number): string => `the server did not accept era ${era}; set its era to auto`;
    expect(state('too-new')).toMatchObject({ kind: 'invalid', reason: reason(2026) });
    expect(state('too-old')).toMatchObject({ kind: 'invalid', reason: reason(2025) });
  });

  it('does not change the content of a result', async () => {
    const { call, state } = await openedGateway({
      'v1-stdio': stdioServer('v1-stdio'),
      'v2-stdio': stdioServer('v2-stdio'),
      'v1-http': { url: (await startHttpServer('v1-http')).url },
      'v2-http': { url: (await startHttpServer('v2-http')).url },
    });
    for (const name of ['v1-stdio', 'v1-http']) expect(state(name)).toMatchObject({ protocol: '2025-11-25' });
    for (const name of ['v2-stdio', 'v2-http']) expect(state(name)).toMatchObject({ protocol: '2026-07-28' });
    for (const name of ['v1-stdio', 'v2-stdio', 'v1-http', 'v2-http']) {
      const outcome = await call(`/${name}/every-kind`);
      expect(outcome, name).toMatchObject({ status: 'ok', view: { kind: 'whole' } });
      expect(outcome, name).toHaveProperty('view.content', EVERY_KIND.content);
      expect(outcome, name).toHaveProperty('view.structured', EVERY_KIND.structuredContent);
    }
  });
});

it('reads every page of a tool list', async () => {
  const log = join(temporaryFolder(), 'log');
  const { toolNames } = await openedGateway({
    shop: stdioServer('v2-stdio', '--log', log, '--extra', '12', '--page-size', '4'),
  });
  expect(toolNames('shop')).toHaveLength(20);
  expect(toolNames('shop')).toEqual(expect.arrayContaining(['echo', 'extra-1', 'extra-12']));
  expect(linesOf(log, 'list')).toEqual(['list', 'list 4', 'list 8', 'list 12', 'list 16']);
});

it('keeps the tools of two upstreams with the same tool names apart', async () => {
  const { call, toolNames } = await openedGateway({
    left: stdioServer('v1-stdio'),
    right: stdioServer('v2-stdio'),
  });
  expect(toolNames('left')).toEqual(toolNames('right'));
  expect(textOf(await call('/left/pid'))).not.toBe(textOf(await call('/right/pid')));
});
