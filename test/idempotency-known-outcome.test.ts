/** Whether a key is released after a failed call, for a gateway with a real upstream. */
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
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
  expect(await call(CHARGE, {}, KEYED)).toMatchObject({ error: { code: 'UPSTREAM_FAILURE' } });
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
