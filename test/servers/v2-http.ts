import { serve } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { readOrders, Workshop } from './fixture-server.ts';
import { v2Server } from './v2.ts';

const orders = readOrders();
const workshop = new Workshop(orders);
const handler = createMcpHandler(() => v2Server(workshop, () => handler.notify.toolsChanged()), {
  legacy: 'reject',
});
serve({ fetch: (request) => handler.fetch(request), hostname: '127.0.0.1', port: orders.port }, ({ port }) =>
  console.log(`port ${port}`),
);
