import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { FixtureServer, parseOptions } from './fixture-server.ts';
import { v1Server } from './v1.ts';

const options = parseOptions();
const fixture = new FixtureServer(options);
const sessions = new Map<string, SSEServerTransport>();

/** The HTTP+SSE transport of protocol 2024-11-05: one event stream for responses, POST for requests. */
const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    await v1Server(fixture).connect(transport);
    return;
  }
  const known = sessions.get(searchParams.get('sessionId') ?? '');
  if (known) return known.handlePostMessage(request, response);
  response.writeHead(404).end();
});
server.listen(options.port, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
