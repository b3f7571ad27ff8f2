/** Whether a key is released after a failed call, for a gateway with a real upstream. */
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openedGateway, until } from './gateway.ts';

const CHARGE = '/payments/charge';
const KEYED = { idempotencyKey: 'order-41' };

interface PaymentUpstream {
  readonly url: string;
  readonly effects: () => number;
  /** `silent`: accepts connections and never answers. */
  switchTo(mode: 'silent' | 'normal'): Promise<void>;
}

/** An upstream that has an effect and then returns or throws what the test defines. */
async function paymentUpstream(respond: () => object = () => ({})): Promise<PaymentUpstream> {
  let effects = 0;
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'payments', version: '1.0.0' }, { capabilities: { tools: {} } });
    const tool = { name: 'charge', description: 'Charges.', inputSchema: { type: 'object' as const } };
    server.setRequestHandler('tools/list', () => ({ tools: [tool] }));
    server.setRequestHandler('tools/call', () => {
      effects++;
      return { content: [], ...respond() };
    });
    return server;
  });
  const answer = getRequestListener((request) => handler.fetch(request));
  const listenTo = async (listener: RequestListener, port: number): Promise<HttpServer> => {
    const server = createServer(listener).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listenTo(answer, 0);
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(async () => {
    await handler.close();
    await close();
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    effects: () => effects,
    switchTo: async (mode) => {
      await close();
      server = await listenTo(mode === 'silent' ? () => {} : answer, port);
    },
  };
}

it('a write that the upstream executed and then rejected is not executed again', async () => {
  const { url, effects } = await paymentUpstream(() => {
    throw new ProtocolError(-32_602, 'Output validation error: Tool charge has an output schema');
  });
  const { call } = await openedGateway({ payments: { url } });
  expect(await call(CHARGE, {}, KEYED)).toMatchObject({
    error: {
      code: 'INVALID_INPUT',
      variant: 'upstream',
      details: { effect: 'unknown', upstream_message: expect.stringContaining('has an output schema') },
    },
  });
  expect(await call(CHARGE, {}, KEYED)).toMatchObject({ error: { code: 'CONFLICT', variant: 'unknown' } });
  expect(effects()).toBe(1);
});

it('a write that was never sent, because its upstream did not connect, is executed by a second call', async () => {
  const { url, effects, switchTo } = await paymentUpstream();
  const { call, state } = await openedGateway({
    payments: { url, startTimeoutMs: 60_000, probeIntervalMs: 100 },
  });
  expect(await call(CHARGE, {}, { idempotencyKey: 'order-40' })).toMatchObject({ status: 'ok' });
  await switchTo('silent');
  await until('the loss to be noticed', () => state('payments').kind === 'unavailable');
  const waited = await call(CHARGE, {}, { ...KEYED, deadline: Date.now() + 1_500 });
  expect(waited).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
  expect(effects()).toBe(1);
  await switchTo('normal');
  await until('the upstream to be back', () => state('payments').kind === 'ready');
  expect(await call(CHARGE, {}, KEYED)).toMatchObject({
    status: 'ok',
    provenance: { source: 'compute' },
  });
  expect(effects()).toBe(2);
});

interface Refusal {
  readonly status: number;
  readonly body: object | string;
}

/** A server with sessions that charges and then answers as the test defines. */
async function actingUpstream(refuse: () => { readonly call?: Refusal; readonly ping?: Refusal }) {
  let effects = 0;
  let sessions = 0;
  const results: Readonly<Record<string, () => object>> = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'payments', version: '1.0.0' },
    }),
    'tools/list': () => ({ tools: [{ name: 'charge', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: `charge ${++effects}` }] }),
    ping: () => ({}),
  };
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse((await readAll(request)) || '{}');
    const result = results[method]?.();
    const { call, ping } = refuse();
    const refusal = method === 'tools/call' ? call : method === 'ping' ? ping : undefined;
    if (refusal) {
      response.writeHead(refusal.status, { 'content-type': 'application/json' });
      const { body } = refusal;
      return void response.end(typeof body === 'string' ? body : JSON.stringify({ ...body, id }));
    }
    if (id === undefined) return void response.writeHead(method ? 202 : 405).end();
    const headers = method === 'initialize' ? { 'mcp-session-id': `session-${++sessions}` } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    const answer = result ? { result } : { error: { code: -32_601, message: 'no such method' } };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, effects: () => effects, sessions: () => sessions };
}

describe('a keyed write that the upstream executed and then refused', () => {
  it.each<Refusal>([
    { status: 404, body: 'order 7 not found' },
    { status: 400, body: 'the session of the cash desk is closed' },
    { status: 401, body: 'unauthorized' },
    { status: 403, body: 'forbidden' },
    { status: 429, body: 'slow down' },
    { status: 200, body: { jsonrpc: '2.0', error: { code: -32_601, message: 'no such method' } } },
  ])('with $status is neither sent again nor free for a second call: $body', async (refusal) => {
    const { url, effects } = await actingUpstream(() => ({ call: refusal }));
    const { call } = await openedGateway({ payments: { url } }, { settings: { retry: { attempts: 3 } } });
    const first = await call(CHARGE, {}, KEYED);
    expect(first).toMatchObject({ status: 'failed' });
    expect(await call(CHARGE, {}, KEYED)).toMatchObject({ error: { code: 'CONFLICT', variant: 'unknown' } });
    expect(effects()).toBe(1);
  });
});

describe('a keyed write that the upstream refuses like every other request', () => {
  it.each([404, 400])('with %s is sent again on a new session', async (status) => {
    const refusal = { status, body: 'unknown session' };
    const upstream = await actingUpstream(() =>
      upstream.sessions() === 1 ? { call: refusal, ping: refusal } : {},
    );
    const { call } = await openedGateway({ payments: { url: upstream.url } });
    expect(await call(CHARGE, {}, KEYED)).toMatchObject({ status: 'ok' });
    expect(upstream.sessions()).toBe(2);
  });

  it.each([401, 403, 429])('with %s leaves its key free', async (status) => {
    const refusal = { status, body: 'not now' };
    let isRefused = true;
    const { url } = await actingUpstream(() => (isRefused ? { call: refusal, ping: refusal } : {}));
    const { call } = await openedGateway({ payments: { url } });
    expect(await call(CHARGE, {}, KEYED)).toMatchObject({ status: 'failed' });
    isRefused = false;
    expect(await call(CHARGE, {}, KEYED)).toMatchObject({ status: 'ok' });
  });
});
