/** The official clients use the whole gateway, in both protocol eras and over both wires. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCaller } from '../src/contract/call/caller.ts';
import type { Receipt } from '../src/contract/call/receipt.ts';
import { openSqliteStores } from '../src/stores/sqlite/open.ts';
import {
  linesOf,
  openedGateway,
  openTestGateway,
  type TestGateway,
  temporaryFolder,
  until,
} from './gateway.ts';
import { listReceipts } from './receipts.ts';
import {
  type CallOptions,
  CLIENTS,
  type ClientName,
  connectClient,
  type ServerAddress,
  type TestClient,
} from './servers/clients.ts';
import { EVERY_KIND } from './servers/fixture-server.ts';
import { type OfficialServer, officialServer, stdioServer } from './servers/spawn.ts';
import { readStructured } from './structured.ts';

const VERY_LONG_MS = 600_000;
/** One client for each protocol era. */
const ERAS = ['v2 modern', 'v1'] as const;
const INVALID_PARAMS = { code: -32_602 };

/** One wire of a gateway, with the log of its upstream and its receipts. */
interface Wire {
  readonly address: ServerAddress;
  readonly log: string;
  readonly receipts: () => Promise<readonly Receipt[]>;
}

const home = temporaryFolder();
const log = join(home, 'log');
const settings = { results: { thresholdTokens: 200 } };
const upstreams = {
  everything: officialServer('everything', 'stdio'),
  shop: stdioServer('v2-stdio', '--log', log),
};
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway(upstreams, { settings, home });
});
afterAll(() => gateway.close());

function overStdio(): Wire {
  const folder = temporaryFolder();
  const ownLog = join(folder, 'log');
  const file = join(folder, 'toolgate.json');
  const shop = stdioServer('v2-stdio', '--log', ownLog);
  writeFileSync(file, JSON.stringify({ ...settings, upstreams: { ...upstreams, shop } }));
  const program = fileURLToPath(new URL('../bin/toolgate.js', import.meta.url));
  return {
    address: {
      command: process.execPath,
      args: [program, 'stdio', '--config', file],
      env: { PATH: process.env.PATH ?? '', HOME: folder, TOOLGATE_HOME: folder },
    },
    log: ownLog,
    receipts: async () => {
      const stores = await openSqliteStores({ file: join(folder, 'toolgate.sqlite') });
      return listReceipts(stores.receipts).finally(() => stores.close());
    },
  };
}

const overHttp = (path: string): Wire => ({
  address: { url: `${gateway.url}${path}` },
  log,
  receipts: gateway.receipts,
});

async function connect(client: ClientName, address: ServerAddress): Promise<TestClient> {
  const connection = await connectClient(client, address);
  onTestFinished(() => connection.close());
  return connection;
}

const wires = [
  ['stdio', overStdio],
  ['/mcp', () => overHttp('/mcp')],
  ['/mcp/gateway', () => overHttp('/mcp/gateway')],
] as const;

describe.each(wires)('over %s', (_, wireOf) => {
  describe.each(CLIENTS)('%s', (name) => {
    it('browses, executes and views, receives progress, and cancels', async () => {
      const wire = wireOf();
      const client = await connect(name, wire.address);
      if (name !== 'v1') expect(client.protocol).toBe(name === 'v2 legacy' ? '2025-11-25' : '2026-07-28');
      const listed = (await client.list()).map((tool) => tool.name);
      expect(listed).toEqual(['tool_browse', 'tool_execute', 'tool_view']);

      const browsed = await client.call('tool_browse', { query: 'echo a message' });
      const cards = readStructured(browsed)?.cards as { id: string }[];
      const echo = cards.find(({ id }) => id.startsWith('everything:echo'))!;
      expect(browsed.content).toEqual([{ type: 'text', text: expect.stringContaining(echo.id) }]);

      const executed = await client.call('tool_execute', { tool_id: echo.id, args: { message: 'hi' } });
      expect(executed.isError ?? false).toBe(false);
      expect(executed.content).toEqual([{ type: 'text', text: 'Echo: hi' }]);

      const every = await client.call('tool_execute', { tool_id: '/shop/every-kind' });
      expect(every.content).toEqual(EVERY_KIND.content);
      expect(every.structuredContent).toEqual(EVERY_KIND.structuredContent);

      const words = Array.from({ length: 400 }, (_, i) => `line ${i}`).join('\n');
      const long = await client.call('tool_execute', { tool_id: echo.id, args: { message: words } });
      const artifacts = readStructured(long)?.artifacts as { handle: string }[];
      const viewed = await client.call('tool_view', {
        handle: artifacts[0]!.handle,
        selector: { lines: { start: 400, end: 400 } },
      });
      expect(viewed.content[0]?.text).toMatch(/^line 399\n/);

      await expect(client.call('no_such_tool', {})).rejects.toMatchObject(INVALID_PARAMS);
      await expectProgress(client);
      await expectCancellation(client, wire, {});
      // A request for progress makes the response a stream, which is another code path.
      await expectCancellation(client, wire, { onprogress: () => {} });
    });
  });
});

async function expectProgress(client: TestClient): Promise<void> {
  const received: number[] = [];
  const args = { duration: 0.4, steps: 4 };
  const answer = await client.call(
    'tool_execute',
    { tool_id: '/everything/trigger-long-running-operation', args },
    { onprogress: ({ progress }) => void received.push(progress) },
  );
  expect(answer.isError ?? false).toBe(false);
  // The result may overtake the last notification.
  expect(received.slice(0, 3)).toEqual([1, 2, 3]);
}

async function expectCancellation(client: TestClient, wire: Wire, options: CallOptions): Promise<void> {
  const calls = linesOf(wire.log, 'call wait').length;
  const cancelled = linesOf(wire.log, 'cancelled wait').length;
  const before = (await wire.receipts()).length;
  const controller = new AbortController();
  const call = client.call(
    'tool_execute',
    { tool_id: '/shop/wait', args: { ms: VERY_LONG_MS } },
    { ...options, signal: controller.signal },
  );
  const rejected = expect(call).rejects.toThrow();
  await until('the call to arrive', () => linesOf(wire.log, 'call wait').length > calls);
  controller.abort();
  await rejected;
  await until('the cancellation to arrive', () => linesOf(wire.log, 'cancelled wait').length > cancelled);
  const receipts = await until('the receipt', async () => {
    const all = await wire.receipts();
    return all.length > before && all;
  });
  expect(receipts).toHaveLength(before + 1);
  expect(receipts[0]).toMatchObject({
    requested: '/shop/wait',
    status: 'failed',
    errorCode: 'CANCELLED',
    phase: 'execute',
  });
}

describe('the HTTP listener', () => {
  it.each(ERAS)('lets calls of %s finish before it closes', async (name) => {
    const own = join(temporaryFolder(), 'log');
    const opened = await openTestGateway({ shop: stdioServer('v1-stdio', '--log', own) });
    const client = await connect(name, { url: `${opened.url}/mcp` });
    const call = client.call('tool_execute', { tool_id: '/shop/wait', args: { ms: 1_500 } });
    await until('the call to arrive', () => linesOf(own, 'call wait').length === 1);
    const closed = opened.close();
    expect((await call).content).toEqual([{ type: 'text', text: 'waited' }]);
    await closed;
  });

  it.each(ERAS)('refuses a call of %s above maxInFlight, and accepts the next one', async (name) => {
    const own = join(temporaryFolder(), 'log');
    const { url } = await openedGateway(
      { shop: stdioServer('v1-stdio', '--log', own) },
      { settings: { server: { port: 0, maxInFlight: 1 } } },
    );
    const client = await connect(name, { url: `${url}/mcp` });
    const other = await connect(name, { url: `${url}/mcp` });
    const waiting = { tool_id: '/shop/wait', args: { ms: VERY_LONG_MS } };
    // With progress the response is a stream that outlives the request handler.
    const call = client.call('tool_execute', waiting, { onprogress: () => {} });
    await until('the call to arrive', () => linesOf(own, 'call wait').length === 1);
    await expect(other.call('tool_execute', waiting)).rejects.toThrow(/Too many calls are in flight \(1\)/);
    expect(await other.call('tool_browse', { path: '/' })).toHaveProperty('content');
    await Promise.all([expect(call).rejects.toThrow(), client.close()]);
    const short = { tool_id: '/shop/wait', args: { ms: 1 } };
    await until('a free slot', () => other.call('tool_execute', short).catch(() => false));
  });
});

describe('every tool of the official servers', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'note.txt'), 'a note');
  writeFileSync(join(folder, 'dot.png'), Buffer.from(String(EVERY_KIND.content[1]?.data), 'base64'));
  const servers = {
    everything: officialServer('everything', 'stdio'),
    filesystem: officialServer('filesystem', folder),
    memory: { ...officialServer('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
  };

  it.each(Object.entries(servers))(
    'of %s is listed, found by its path and callable',
    async (namespace, server) => {
      const direct = await connectClient('v1', { env: { PATH: process.env.PATH ?? '' }, ...server });
      onTestFinished(() => direct.close());
      const names = (await direct.list()).map(({ name }) => name);
      const calls = callsOf(folder)[namespace as OfficialServer];
      // The server accepts this one only as a task, so it is not offered.
      const callable = names.filter((name) => name !== 'simulate-research-query');
      expect(Object.keys(calls).toSorted()).toEqual(callable.toSorted());

      const {
        gateway: { api, localUser },
        toolNames,
        call,
      } = await openedGateway({ [namespace]: server });
      expect(toolNames(namespace).toSorted()).toEqual(callable.toSorted());
      for (const [name, args] of Object.entries(calls)) {
        const path = `/${namespace}/${name}`;
        const { cards } = await api.browse(createCaller(localUser), { path });
        expect(cards.map(({ name: shown }) => shown)).toEqual([name]);
        const dryRun = await call(cards[0]!.id, args, { dryRun: true });
        expect(dryRun, path).toMatchObject({ status: 'dry_run', report: { upstreamName: name } });
        const outcome = await call(path, args);
        expect(outcome, path).toMatchObject({ status: 'ok', provenance: { upstream: namespace } });
      }
    },
  );
});

/** Valid arguments for each tool of the official servers, in an order that works. */
function callsOf(folder: string): Record<OfficialServer, Record<string, object>> {
  const file = (name: string): string => join(folder, name);
  const ada = { name: 'Ada', entityType: 'person', observations: ['wrote programs'] };
  const knows = { from: 'Ada', to: 'Ada', relationType: 'knows' };
  return {
    everything: {
      echo: { message: 'hello' },
      'get-annotated-message': { messageType: 'success', includeImage: true },
      'get-env': {},
      'get-resource-links': { count: 2 },
      'get-resource-reference': { resourceType: 'Text', resourceId: 1 },
      'get-structured-content': { location: 'Chicago' },
      'get-sum': { a: 1, b: 2 },
      'get-tiny-image': {},
      'gzip-file-as-resource': { name: 'a.gz', data: 'data:text/plain;base64,aGVsbG8=' },
      'toggle-simulated-logging': {},
      'toggle-subscriber-updates': {},
      'trigger-long-running-operation': { duration: 0.1, steps: 1 },
    },
    filesystem: {
      read_file: { path: file('note.txt') },
      read_text_file: { path: file('note.txt') },
      read_media_file: { path: file('dot.png') },
      read_multiple_files: { paths: [file('note.txt')] },
      write_file: { path: file('new.txt'), content: 'new' },
      edit_file: { path: file('new.txt'), edits: [{ oldText: 'new', newText: 'newer' }] },
      create_directory: { path: file('folder') },
      list_directory: { path: folder },
      list_directory_with_sizes: { path: folder },
      directory_tree: { path: folder },
      move_file: { source: file('new.txt'), destination: file('moved.txt') },
      search_files: { path: folder, pattern: '*.txt' },
      get_file_info: { path: file('moved.txt') },
      list_allowed_directories: {},
    },
    memory: {
      create_entities: { entities: [ada] },
      create_relations: { relations: [knows] },
      add_observations: { observations: [{ entityName: 'Ada', contents: ['saw far'] }] },
      delete_observations: { deletions: [{ entityName: 'Ada', observations: ['saw far'] }] },
      delete_relations: { relations: [knows] },
      read_graph: {},
      search_nodes: { query: 'Ada' },
      open_nodes: { names: ['Ada'] },
      delete_entities: { entityNames: ['Ada'] },
    },
  };
}
