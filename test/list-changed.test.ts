/** A server says that its tools are others now: the catalog follows, soon, once for a burst, and to the last state. */
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

/** Without probes and retries that could hide a change that went unheard. */
function opened(upstream: object, home?: string): Promise<TestGateway> {
  const upstreams = { shop: { ...upstream, probeIntervalMs: NEVER_MS } };
  return openedGateway(upstreams, home === undefined ? {} : { home });
}

const added = ({ toolNames }: TestGateway): string[] =>
  toolNames('shop').filter((name) => name.startsWith('added-'));

/** Waits until the list is read no more. */
async function untilSettled(log: string): Promise<number> {
  let before = -1;
  await until('the list to be left alone', async () => {
    const lists = linesOf(log, 'list').length;
    if (lists === before) return true;
    before = lists;
    await new Promise((resolve) => setTimeout(resolve, 600));
    return false;
  });
  return before;
}

async function changeTenTimes(gateway: TestGateway, log: string): Promise<void> {
  const already = added(gateway).length;
  const before = await untilSettled(log);
  expect(textOf(await gateway.call('/shop/change', { times: 10 }))).toBe(`${already + 10} added`);
  await until('the last of the new tools', () => added(gateway).length === already + 10);
  expect(textOf(await gateway.call(`/shop/added-${already + 10}`))).toBe(`added-${already + 10}`);
  expect((await untilSettled(log)) - before).toBeLessThanOrEqual(3);
}

describe.each(['v1-stdio', 'v2-stdio'] as const)('%s', (server) => {
  it('ten changes in a burst are read few times, and the last one counts', async () => {
    const log = join(temporaryFolder(), 'log');
    const gateway = await opened(stdioServer(server, '--log', log));
    await changeTenTimes(gateway, log);
    await changeTenTimes(gateway, log);
  });

  it('tells of changes at the second start, when its era is known', async () => {
    const home = temporaryFolder();
    const log = join(home, 'log');
    const upstream = stdioServer(server, '--log', log);
    await (await openTestGateway({ shop: { ...upstream, probeIntervalMs: NEVER_MS } }, { home })).close();
    await changeTenTimes(await opened(upstream, home), log);
  });
});

describe.each(['v1-http', 'v2-http'] as const)('%s', (server) => {
  it('ten changes in a burst are read few times, and the last one counts', async () => {
    const log = join(temporaryFolder(), 'log');
    const { url } = await startHttpServer(server, '--log', log);
    const gateway = await opened({ url });
    await changeTenTimes(gateway, log);
    await changeTenTimes(gateway, log);
  });

  it('tells of changes after a restart, and what is gone is gone', async () => {
    const log = join(temporaryFolder(), 'log');
    const first = await startHttpServer(server, '--log', log);
    const gateway = await opened({ url: first.url });
    await changeTenTimes(gateway, log);
    await first.kill();
    await startHttpServer(server, '--log', log, '--port', String(first.port));
    await until('the new list', () => added(gateway).length === 0);
    await changeTenTimes(gateway, log);
  });
});

it('reads the list again when a stream broke on which a change may have been told', async () => {
  const log = join(temporaryFolder(), 'log');
  const server = await startHttpServer('v1-http', '--log', log);
  const gateway = await opened({ url: server.url });
  await untilSettled(log);
  server.process.kill('SIGUSR2');
  await until('the tool that came while nobody listened', () => added(gateway).length === 1);
});
