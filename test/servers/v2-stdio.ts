import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { readOrders, Workshop } from './fixture-server.ts';
import { v2Server } from './v2.ts';

const orders = readOrders();
const workshop = new Workshop(orders);
serveStdio(() => v2Server(workshop, (server) => void server.sendToolListChanged()), {
  legacy: orders.modernOnly ? 'reject' : 'serve',
});
