/** Callers that lose their connection, and upstreams that answer too late: the key knows in the end. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { openedGateway, type TestGateway, temporaryFolder, until } from './gateway.ts';
import { type ClientName, connectClient, type ToolAnswer } from './servers/clients.ts';
import { startedHttp, stdioServer } from './servers/spawn.ts';

vi.setConfig({ testTimeout: 120_000 });

/** A gateway with one tool that writes, and takes as long as the test wants. */
async function slowShop() {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const pay: NativeTool = {
    name: 'pay',
    version: '1.0.0',
    description: 'Pays an order. Doing it twice pays it twice.',
    inputSchema: { type: 'object' },
    run: async (_, { signal }) => {
      signals.push(signal);
      begun.resolve();
      await finish.promise;
      return { paid: signals.length };
    },
  };
  const gateway = await openedGateway({}, { native: { shop: [pay] } });
  return { gateway, begun: begun.promise, finish: finish.resolve, signals };
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

async function unresolvedIn({ gateway }: TestGateway): Promise<number> {
  return (await gateway.idempotency.listUnresolved(10)).length;
}

describe('a keyed write whose caller loses its connection', () => {
  it.each([
    ['one message in, one message out', {}],
    ['a stream with progress', { progressToken: 7 }],
  ])('goes on, and is there when the caller asks again: %s', async (_, meta) => {
    const { gateway, begun, finish, signals } = await slowShop();
    const line = new AbortController();
    const first = post(gateway, line.signal, meta);
    await begun;
    line.abort();
    await expect(first).rejects.toThrow();
    const again = post(gateway, null, meta);
    // Long enough for the gateway to hear that the line broke.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    finish();
    expect(sourceOf(await again)).toBe('replay');
    expect(signals).toHaveLength(1);
    expect(await unresolvedIn(gateway)).toBe(0);
  });

  it('goes on where a client of the newer era closes its stream', async () => {
    const { gateway, begun, finish, signals } = await slowShop();
    const client = await clientOf('v2 modern', gateway);
    const line = new AbortController();
    const first = client.call('tool_execute', PAY, { signal: line.signal });
    await begun;
    line.abort();
    await expect(first).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 200));
    finish();
    expect(sourceOf(await client.call('tool_execute', PAY))).toBe('replay');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it.each(['v1', 'v2 legacy'] as const)('ends where the client says that it cancels: %s', async (name) => {
    const { gateway, begun, signals } = await slowShop();
    const client = await clientOf(name, gateway);
    const cancelling = new AbortController();
    const first = client.call('tool_execute', PAY, { signal: cancelling.signal });
    await begun;
    cancelling.abort();
    await expect(first).rejects.toThrow();
    await until('the tool to be told', () => signals[0]!.aborted);
    await until('the call to be unresolved', async () => (await unresolvedIn(gateway)) === 1);
  });

  it('does not keep a gateway from closing', async () => {
    const { gateway, begun, signals } = await slowShop();
    const line = new AbortController();
    const first = post(gateway, line.signal);
    await begun;
    line.abort();
    await expect(first).rejects.toThrow();
    await gateway.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

async function clientOf(name: ClientName, { url }: TestGateway) {
  const client = await connectClient(name, { url: `${url}/mcp` });
  onTestFinished(() => client.close());
  return client;
}

describe('an upstream that answers after the deadline', () => {
  const SERVERS = [
    ['over stdio, newer', async () => stdioServer('v2-stdio')],
    ['over stdio, older', async () => stdioServer('v1-stdio')],
    ['over HTTP, newer', async () => ({ url: (await startedHttp('v2-http')).url })],
    ['over HTTP, older', async () => ({ url: (await startedHttp('v1-http')).url })],
  ] as const;

  it.each(SERVERS)('is heard all the same, and its answer kept with the key: %s', async (_, server) => {
    const gateway = await openedGateway({ shop: await server() }, { home: temporaryFolder() });
    const call = (more: object = {}) =>
      gateway.call('/shop/deaf', { ms: 1_500 }, { idempotencyKey: 'order-41', ...more });
    const first = await call({ deadline: Date.now() + 500 });
    expect(first).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    expect(await call()).toMatchObject({ error: { code: 'CONFLICT', variant: 'unknown' } });
    await until('the late answer', async () => (await unresolvedIn(gateway)) === 0);
    expect(await call()).toMatchObject({
      status: 'ok',
      view: { content: [{ type: 'text', text: 'at last' }] },
      provenance: { source: 'replay', replayOf: first.callId },
    });
  });
});
