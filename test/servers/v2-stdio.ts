import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { v2Server } from './v2.ts';
import { readOrders, Workshop } from './workshop.ts';

const orders = readOrders();
const workshop = new Workshop(orders);
serveStdio(() => v2Server(workshop, (server) => void server.sendToolListChanged()), {
  legacy: orders.modernOnly ? 'reject' : 'serve',
});
