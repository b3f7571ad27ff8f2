/** Calls over HTTP that fill the gateway, are cancelled, or are in flight when it stops. */
import { join } from 'node:path';
import { Agent, fetch as poolFetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  linesOf,
  openedGateway,
  openTestGateway,
  type TestGateway,
  temporaryFolder,
  until,
} from './gateway.ts';
import { stdioServer } from './servers/spawn.ts';

const VERY_LONG_MS = 600_000;
const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

interface Posted {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

interface PostOptions {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const dispatcher = new Agent({ connections: null, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
afterAll(() => dispatcher.destroy());

async function post(url: string, message: object, { headers, signal }: PostOptions = {}): Promise<Posted> {
  const response = await poolFetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(message),
    dispatcher,
    ...(signal && { signal }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

let lastId = 0;
const request = (method: string, params: object): object => ({
  jsonrpc: '2.0',
  id: ++lastId,
  method,
  params,
});
const execute = (tool: string, args: object = {}, more: object = {}): object =>
  request('tools/call', { name: 'tool_execute', arguments: { tool_id: tool, args, ...more } });
const browse = (): object => request('tools/call', { name: 'tool_browse', arguments: { path: '/' } });
const initialize = (): object =>
  request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });

const ECHO = {
  name: 'echo',
  description: 'Echoes.',
  inputSchema: { type: 'object' },
  run: () => ({ echoed: true }),
} as const;

function loadOf({ gateway }: TestGateway): { running: number; queued: number } {
  return gateway.upstreams().find(({ namespace }) => namespace === 'shop')!.load!;
}

describe('one upstream that hangs, with 512 callers', () => {
  it('leaves room for every other caller, and drops queued calls whose callers have gone', async () => {
    const opened = await openedGateway(
      { shop: stdioServer('v2-stdio') },
      {
        native: { here: [ECHO] },
        settings: { server: { port: 0, drainTimeoutMs: 1 } },
      },
    );
    const { url } = opened;
    const disconnect = new AbortController();
    let refused = 0;
    const calls = Array.from({ length: 512 }, async (_, i) => {
      const { text } = await post(
        url,
        execute('/shop/wait', { ms: VERY_LONG_MS }, { idempotency_key: `k${i}` }),
        {
          signal: disconnect.signal,
        },
      );
      if (text.includes('Too many calls are queued')) refused++;
    });
    await until('the queue to be full', () => refused === 256);
    expect(loadOf(opened)).toMatchObject({ running: 64, queued: 192 });
    for (const message of [execute('/here/echo'), browse(), initialize(), request('tools/list', {})]) {
      expect((await post(url, message)).status).toBe(200);
    }
    const settled = Promise.allSettled(calls);
    disconnect.abort();
    await settled;
    await until('the queue to be empty', () => loadOf(opened).queued === 0);
  });
});

describe('a cancelled call', () => {
  let gateway: TestGateway;
  const log = join(temporaryFolder(), 'log');
  beforeAll(async () => {
    gateway = await openTestGateway({ shop: stdioServer('v2-stdio', '--log', log) });
  });
  afterAll(() => gateway.close());

  it.each([
    ['on the fast path', {}],
    ['through the SDK', { _meta: { progressToken: 1 } }],
  ])('%s is not answered, and the upstream gets the reason of its client', async (_, more) => {
    const { url } = gateway;
    const started = linesOf(log, 'call wait').length;
    const cancelled = linesOf(log, 'cancelled wait').length;
    const session = (await post(url, initialize())).headers.get('mcp-session-id')!;
    const headers = { 'mcp-session-id': session };
    const call = { name: 'tool_execute', arguments: { tool_id: '/shop/wait', args: { ms: VERY_LONG_MS } } };
    const message = request('tools/call', { ...call, ...more }) as { readonly id: number };
    const answer = post(url, message, { headers });
    await until('the call to arrive', () => linesOf(log, 'call wait').length > started);
    const params = { requestId: message.id, reason: 'user pressed stop' };
    await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, { headers });
    expect(await answer).toMatchObject({ status: 200, text: '' });
    await until('the cancellation', () => linesOf(log, 'cancelled wait').length > cancelled);
    expect(linesOf(log, 'cancelled wait').at(-1)).toBe('cancelled wait: user pressed stop');
    const [receipt] = await gateway.receipts();
    expect(receipt).toMatchObject({ status: 'failed', errorCode: 'CANCELLED' });
  });
});

describe('a message over HTTP', () => {
  const call = { name: 'tool_execute', arguments: { tool_id: '/here/echo' } };
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  let url: string;
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openTestGateway({}, { native: { here: [ECHO] } });
    url = gateway.url;
  });
  afterAll(() => gateway.close());

  it.each<[string, unknown, string | undefined, number, RegExp]>([
    [
      'with an id beyond the safe integers',
      { ...request('tools/call', call), id: 2 ** 53 },
      undefined,
      400,
      /-32600/,
    ],
    ['with the id null', { ...request('tools/call', call), id: null }, undefined, 400, /-32600/],
    ['that is an empty batch', [], undefined, 400, /-32600/],
    ['that is a batch, without a version', [ping], undefined, 200, /"result":\{\}/],
    ['that is a batch, under 2025-03-26', [ping], '2025-03-26', 200, /"result":\{\}/],
    ['that is a batch, under 2025-06-18', [ping], '2025-06-18', 400, /-32600.*no batches/],
    ['initialize without params', request('initialize', {}), undefined, 200, /-32602.*initialize needs/],
    [
      'tools/list with a cursor',
      request('tools/list', { cursor: 'x' }),
      undefined,
      200,
      /-32602.*Unknown cursor/,
    ],
  ])('%s is answered', async (_, message, version, status, text) => {
    const headers: Record<string, string> = version === undefined ? {} : { 'mcp-protocol-version': version };
    const answer = await post(url, message as object, { headers });
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
  });
});

describe('an idempotency key over HTTP', () => {
  let gateway: TestGateway;
  let runs = 0;
  const COUNT = { ...ECHO, name: 'count', run: () => ({ run: ++runs }) };
  beforeAll(async () => {
    gateway = await openTestGateway({}, { native: { here: [COUNT] } });
  });
  afterAll(() => gateway.close());

  interface KeyPlaces {
    readonly argument?: string;
    readonly meta?: string;
    readonly header?: string;
  }
  const call = ({ argument, meta, header }: KeyPlaces, isStreamed = false): Promise<Posted> => {
    const args = { tool_id: '/here/count', ...(argument !== undefined && { idempotency_key: argument }) };
    const _meta = {
      ...(meta !== undefined && { 'toolgate/idempotencyKey': meta }),
      ...(isStreamed && { progressToken: 1 }),
    };
    const headers: Record<string, string> = header === undefined ? {} : { 'idempotency-key': header };
    return post(gateway.url, request('tools/call', { name: 'tool_execute', arguments: args, _meta }), {
      headers,
    });
  };
  const KEY = 'Bestellung für Zoë';
  const asUtf8 = (text: string): string => Buffer.from(text).toString('latin1');

  it('is one key in every place and encoding', async () => {
    const places: KeyPlaces[] = [
      { argument: KEY },
      { argument: KEY.normalize('NFD') },
      { meta: KEY },
      { header: asUtf8(KEY) },
      { header: asUtf8(KEY.normalize('NFD')) },
      { header: KEY },
      { argument: KEY, meta: KEY.normalize('NFD'), header: asUtf8(KEY) },
    ];
    for (const place of places) {
      for (const isStreamed of [false, true]) {
        expect((await call(place, isStreamed)).text).toMatch(/run\D+1\b/);
      }
    }
    expect(runs).toBe(1);
  });

  it.each<KeyPlaces>([
    { argument: 'a', meta: 'b' },
    { argument: 'a', header: 'b' },
    { meta: 'a', header: 'b' },
  ])('that differs between two places is refused: %j', async (place) => {
    const before = runs;
    expect((await call(place)).text).toContain('The idempotency key differs between');
    expect((await call(place, true)).text).toContain('The idempotency key differs between');
    expect(runs).toBe(before);
  });

  it('in two headers is refused, and a key with a comma is not', async () => {
    const before = runs;
    const { status, body } = await dispatcher
      .request({
        origin: gateway.url,
        path: '/mcp',
        method: 'POST',
        headers: Object.entries({ ...JSON_HEADERS, 'idempotency-key': 'd1', 'Idempotency-Key': 'd2' }).flat(),
        body: JSON.stringify(execute('/here/count')),
      })
      .then(async ({ statusCode, body: text }) => ({ status: statusCode, body: await text.text() }));
    expect([status, body]).toEqual([400, expect.stringContaining('Send one Idempotency-Key header')]);
    expect(runs).toBe(before);
    expect((await call({ header: 'one, two' })).status).toBe(200);
    expect(runs).toBe(before + 1);
  });
});

describe('a gateway that stops', () => {
  async function stopDuringCall(drainTimeoutMs: number, ms: number) {
    const log = join(temporaryFolder(), 'log');
    const opened = await openTestGateway(
      { shop: stdioServer('v2-stdio', '--log', log) },
      { settings: { server: { port: 0, drainTimeoutMs } } },
    );
    const answer = post(opened.url, execute('/shop/wait', { ms }));
    await until('the call to arrive', () => linesOf(log, 'call wait').length === 1);
    const closed = opened.close();
    return { opened, answer, closed };
  }

  it('reports that it is draining, refuses new calls, and lets calls in flight end', async () => {
    const { opened, answer, closed } = await stopDuringCall(60_000, 1_500);
    const ready = await fetch(`${opened.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'draining' }]);
    const refused = await post(opened.url, browse());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refused.text).toContain('The gateway is shutting down.');
    expect((await answer).text).toContain('waited');
    await closed;
  });

  it('stops a call after the drain timeout, and answers that it was the gateway', async () => {
    const { opened, answer, closed } = await stopDuringCall(100, VERY_LONG_MS);
    const { text } = await answer;
    expect(text).toContain('The gateway stopped before the call ended.');
    expect(text).not.toContain('caller');
    await closed;
    expect(await opened.receipts()).toMatchObject([{ status: 'failed', errorCode: 'CANCELLED' }]);
  });
});
