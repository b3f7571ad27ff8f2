import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { readOrders, Workshop } from './fixture-server.ts';
import { v1Server } from './v1.ts';

await v1Server(new Workshop(readOrders())).connect(new StdioServerTransport());
// The transport of SDK v1 does not notice that the other end has gone.
process.stdin.once('end', () => process.exit(0));
