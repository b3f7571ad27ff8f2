/** A key is freed where nothing was done and kept where something may have been, at a gateway with a real upstream. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { openedGateway } from './gateway.ts';

const CHARGE = '/till/charge';
const KEYED = { idempotencyKey: 'order-41' };

interface Till {
  readonly url: string;
  readonly effects: () => number;
}

/** An upstream that writes, and then says whatever the test wants. */
async function till(says: () => object): Promise<Till> {
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
  const listener = createServer(getRequestListener((request) => handler.fetch(request)));
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    await handler.close();
    listener.closeAllConnections();
    listener.close();
  });
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`, effects: () => effects };
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
