/** A key is freed where nothing was done and kept where something may have been, at a gateway with a real upstream. */
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { openedGateway, until } from './gateway.ts';

const CHARGE = '/till/charge';
const KEYED = { idempotencyKey: 'order-41' };

interface Till {
  readonly url: string;
  readonly effects: () => number;
  /** Takes connections and says nothing, or is itself again. */
  become(how: 'deaf' | 'well'): Promise<void>;
}

/** An upstream that writes, and then says whatever the test wants. */
async function till(says: () => object = () => ({})): Promise<Till> {
  let effects = 0;
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'till', version: '1.0.0' }, { capabilities: { tools: {} } });
    const tool = { name: 'charge', description: 'Charges.', inputSchema: { type: 'object' as const } };
    server.setRequestHandler('tools/list', () => ({ tools: [tool] }));
    server.setRequestHandler('tools/call', () => {
      effects++;
      return { content: [], ...says() };
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
    become: async (how) => {
      await close();
      server = await listenTo(how === 'deaf' ? () => {} : answer, port);
    },
  };
}

it('a write that the upstream did and then called invalid is not done again', async () => {
  const { url, effects } = await till(() => {
    throw new ProtocolError(-32_602, 'Output validation error: Tool charge has an output schema');
  });
  const { call } = await openedGateway({ till: { url } });
  expect(await call(CHARGE, {}, KEYED)).toMatchObject({ error: { code: 'UPSTREAM_FAILURE' } });
  expect(await call(CHARGE, {}, KEYED)).toMatchObject({ error: { code: 'CONFLICT', variant: 'unknown' } });
  expect(effects()).toBe(1);
});

it('a write that waited in vain for its upstream was never sent, and is done when it is sent again', async () => {
  const { url, effects, become } = await till();
  const { call, state } = await openedGateway({
    till: { url, startTimeoutMs: 60_000, probeIntervalMs: 100 },
  });
  expect(await call(CHARGE, {}, { idempotencyKey: 'order-40' })).toMatchObject({ status: 'ok' });
  await become('deaf');
  await until('the loss to be noticed', () => state('till').kind === 'unavailable');
  const waited = await call(CHARGE, {}, { ...KEYED, deadline: Date.now() + 1_500 });
  expect(waited).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
  expect(effects()).toBe(1);
  await become('well');
  await until('the upstream to be back', () => state('till').kind === 'ready');
  expect(await call(CHARGE, {}, KEYED)).toMatchObject({
    status: 'ok',
    provenance: { source: 'compute' },
  });
  expect(effects()).toBe(2);
});
