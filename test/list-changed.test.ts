/** The catalog follows list_changed notifications: soon, once for a burst, and to the last state. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  linesOf,
  openedGateway,
  openTestGateway,
  type TestGateway,
  temporaryFolder,
  textOf,
  until,
} from './gateway.ts';
import { startHttpServer, stdioServer } from './servers/spawn.ts';

const NEVER_MS = 600_000;

/** Without probes and retries, which could hide a missed change. */
function openShop(upstream: object, home?: string): Promise<TestGateway> {
  const upstreams = { shop: { ...upstream, probeIntervalMs: NEVER_MS } };
  return openedGateway(upstreams, home === undefined ? {} : { home });
}

const addedTools = ({ toolNames }: TestGateway): string[] =>
  toolNames('shop').filter((name) => name.startsWith('added-'));

/** Waits until the list is no longer read, and returns how often it was. */
async function untilSettled(log: string): Promise<number> {
  let before = -1;
  await until('the end of list requests', async () => {
    const lists = linesOf(log, 'list').length;
    if (lists === before) return true;
    before = lists;
    await new Promise((resolve) => setTimeout(resolve, 600));
    return false;
  });
  return before;
}

async function changeTenTimes(gateway: TestGateway, log: string): Promise<void> {
  const already = addedTools(gateway).length;
  const before = await untilSettled(log);
  expect(textOf(await gateway.call('/shop/change', { times: 10 }))).toBe(`${already + 10} added`);
  await until('the last of the new tools', () => addedTools(gateway).length === already + 10);
  expect(textOf(await gateway.call(`/shop/added-${already + 10}`))).toBe(`added-${already + 10}`);
  expect((await untilSettled(log)) - before).toBeLessThanOrEqual(3);
}

describe.each(['v1-stdio', 'v2-stdio'] as const)('%s', (server) => {
  it('reads the list few times for a burst of ten changes, and ends with the last state', async () => {
    const log = join(temporaryFolder(), 'log');
    const gateway = await openShop(stdioServer(server, '--log', log));
    await changeTenTimes(gateway, log);
    await changeTenTimes(gateway, log);
  });

  it('follows changes after a second start with a cached era', async () => {
    const home = temporaryFolder();
    const log = join(home, 'log');
    const upstream = stdioServer(server, '--log', log);
    await (await openTestGateway({ shop: { ...upstream, probeIntervalMs: NEVER_MS } }, { home })).close();
    await changeTenTimes(await openShop(upstream, home), log);
  });
});

describe.each(['v1-http', 'v2-http'] as const)('%s', (server) => {
  it('reads the list few times for a burst of ten changes, and ends with the last state', async () => {
    const log = join(temporaryFolder(), 'log');
    const { url } = await startHttpServer(server, '--log', log);
    const gateway = await openShop({ url });
    await changeTenTimes(gateway, log);
    await changeTenTimes(gateway, log);
  });

  it('follows changes after a restart of the server, and removes tools that are gone', async () => {
    const log = join(temporaryFolder(), 'log');
    const first = await startHttpServer(server, '--log', log);
    const gateway = await openShop({ url: first.url });
    await changeTenTimes(gateway, log);
    await first.kill();
    await startHttpServer(server, '--log', log, '--port', String(first.port));
    await until('the new list', () => addedTools(gateway).length === 0);
    await changeTenTimes(gateway, log);
  });
});

it('reads the list again when the notification stream broke, because a change may have been missed', async () => {
  const log = join(temporaryFolder(), 'log');
  const server = await startHttpServer('v1-http', '--log', log);
  const gateway = await openShop({ url: server.url });
  await untilSettled(log);
  server.process.kill('SIGUSR2');
  await until('the tool that was added without a notification', () => addedTools(gateway).length === 1);
});
