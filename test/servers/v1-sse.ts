import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { readOrders, Workshop } from './fixture-server.ts';
import { v1Server } from './v1.ts';

const orders = readOrders();
const workshop = new Workshop(orders);
const sessions = new Map<string, SSEServerTransport>();

/** The oldest transport: one event stream down, posts up. */
const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    await v1Server(workshop).connect(transport);
    return;
  }
  const known = sessions.get(searchParams.get('sessionId') ?? '');
  if (known) return known.handlePostMessage(request, response);
  response.writeHead(404).end();
});
server.listen(orders.port, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
