import { serve } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { FixtureServer, parseOptions } from './fixture-server.ts';
import { v2Server } from './v2.ts';

const options = parseOptions();
const fixture = new FixtureServer(options);
const handler = createMcpHandler(() => v2Server(fixture, () => handler.notify.toolsChanged()), {
  legacy: 'reject',
});
serve({ fetch: (request) => handler.fetch(request), hostname: '127.0.0.1', port: options.port }, ({ port }) =>
  console.log(`port ${port}`),
);
