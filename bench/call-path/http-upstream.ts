/** An HTTP upstream with one echo tool on the official SDK: `node http-upstream.ts ERA`. It prints its URL. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import {
  createMcpHandler,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Era } from './client.ts';

type Handle = (request: Request) => Promise<Response>;

const ECHO = {
  name: 'echo',
  description: 'Returns the message.',
  inputSchema: {
    type: 'object' as const,
    properties: { message: { type: 'string' } },
    required: ['message'],
  },
};

function echoServer(): Server {
  const server = new Server({ name: 'bench-upstream', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [ECHO] }));
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: `Echo: ${params.arguments?.message}` }],
  }));
  return server;
}

/** Sessions, as in the 2025 era. The answer is an event stream with one event. */
function withSessions(): Handle {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await echoServer().connect(transport);
    return transport.handleRequest(request);
  };
}

/** No sessions, as in the 2026 era. The answer is JSON. */
function withoutSessions(): Handle {
  const handler = createMcpHandler(echoServer, { legacy: 'reject' });
  return (request) => handler.fetch(request);
}

const HANDLERS: Readonly<Record<Era, () => Handle>> = {
  '2025-11-25': withSessions,
  '2026-07-28': withoutSessions,
};

const server = createServer(getRequestListener(HANDLERS[process.argv[2] as Era]()));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
});
