/** Callers that lose their connection, and upstreams that answer after the deadline: the key gets its result. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { openedGateway, type TestGateway, temporaryFolder, until } from './gateway.ts';
import { type ClientName, connectClient, type ToolAnswer } from './servers/clients.ts';
import { startHttpServer, stdioServer } from './servers/spawn.ts';

vi.setConfig({ testTimeout: 120_000 });

/** A gateway with one tool that writes and runs until the test finishes it. */
async function openSlowShop() {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const pay: NativeTool = {
    name: 'pay',
    version: '1.0.0',
    description: 'Pays an order. Two calls pay it twice.',
    inputSchema: { type: 'object' },
    run: async (_, { signal }) => {
      signals.push(signal);
      started.resolve();
      await finish.promise;
      return { paid: signals.length };
    },
  };
  const gateway = await openedGateway({}, { native: { shop: [pay] } });
  return { gateway, started: started.promise, finish: finish.resolve, signals };
}

const PAY = { tool_id: '/shop/pay', args: {}, idempotency_key: 'order-41' };

async function post({ url }: TestGateway, signal: AbortSignal | null, meta = {}): Promise<ToolAnswer> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'tool_execute', arguments: PAY, _meta: meta },
    }),
  });
  const text = await response.text();
  const message = text.startsWith('{') ? text : /^data: (\{.*"result".*)$/m.exec(text)![1]!;
  return (JSON.parse(message) as { result: ToolAnswer }).result;
}

function sourceOf({ _meta }: ToolAnswer): string | undefined {
  const envelope = _meta?.['toolgate/envelope'] as { provenance: { source: string } } | undefined;
  return envelope?.provenance.source;
}

async function countUnresolved({ gateway }: TestGateway): Promise<number> {
  return (await gateway.idempotency.listUnresolved(10)).length;
}

describe('a keyed write whose caller disconnects', () => {
  it.each([
    ['as one JSON message', {}],
    ['as an event stream with progress', { progressToken: 7 }],
  ])('continues, and its result is replayed to a second call: %s', async (_, meta) => {
    const { gateway, started, finish, signals } = await openSlowShop();
    const connection = new AbortController();
    const first = post(gateway, connection.signal, meta);
    await started;
    connection.abort();
    await expect(first).rejects.toThrow();
    const second = post(gateway, null, meta);
    // Long enough for the gateway to notice the broken connection.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    finish();
    expect(sourceOf(await second)).toBe('replay');
    expect(signals).toHaveLength(1);
    expect(await countUnresolved(gateway)).toBe(0);
  });

  it('continues when a 2026-07-28 client closes its stream', async () => {
    const { gateway, started, finish, signals } = await openSlowShop();
    const client = await openClient('v2 modern', gateway);
    const connection = new AbortController();
    const first = client.call('tool_execute', PAY, { signal: connection.signal });
    await started;
    connection.abort();
    await expect(first).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 200));
    finish();
    expect(sourceOf(await client.call('tool_execute', PAY))).toBe('replay');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it.each(['v1', 'v2 legacy'] as const)('ends when the client sends a cancellation: %s', async (name) => {
    const { gateway, started, signals } = await openSlowShop();
    const client = await openClient(name, gateway);
    const cancelling = new AbortController();
    const first = client.call('tool_execute', PAY, { signal: cancelling.signal });
    await started;
    cancelling.abort();
    await expect(first).rejects.toThrow();
    await until('the tool to be aborted', () => signals[0]!.aborted);
    await until('the call to be unresolved', async () => (await countUnresolved(gateway)) === 1);
  });

  it('does not prevent the gateway from closing', async () => {
    const { gateway, started, signals } = await openSlowShop();
    const connection = new AbortController();
    const first = post(gateway, connection.signal);
    await started;
    connection.abort();
    await expect(first).rejects.toThrow();
    await gateway.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

async function openClient(name: ClientName, { url }: TestGateway) {
  const client = await connectClient(name, { url: `${url}/mcp` });
  onTestFinished(() => client.close());
  return client;
}

describe('an upstream that answers after the deadline', () => {
  const SERVERS = [
    ['stdio, 2026-07-28', async () => stdioServer('v2-stdio')],
    ['stdio, 2025', async () => stdioServer('v1-stdio')],
    ['HTTP, 2026-07-28', async () => ({ url: (await startHttpServer('v2-http')).url })],
    ['HTTP, 2025', async () => ({ url: (await startHttpServer('v1-http')).url })],
  ] as const;

  it.each(SERVERS)('completes the key with its late answer: %s', async (_, server) => {
    const gateway = await openedGateway({ shop: await server() }, { home: temporaryFolder() });
    const call = (more: object = {}) =>
      gateway.call('/shop/deaf', { ms: 1_500 }, { idempotencyKey: 'order-41', ...more });
    const first = await call({ deadline: Date.now() + 500 });
    expect(first).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    expect(await call()).toMatchObject({ error: { code: 'CONFLICT', variant: 'unknown' } });
    await until('the late answer', async () => (await countUnresolved(gateway)) === 0);
    expect(await call()).toMatchObject({
      status: 'ok',
      view: { content: [{ type: 'text', text: 'at last' }] },
      provenance: { source: 'replay', replayOf: first.callId },
    });
  });
});
