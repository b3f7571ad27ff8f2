import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type EventStore,
  StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { FixtureServer, parseOptions } from './fixture-server.ts';
import { v1Server } from './v1.ts';

const options = parseOptions();
const fixture = new FixtureServer(options);
const sessions = new Map<string, StreamableHTTPServerTransport>();

/** Stores every event, so that a broken stream can be resumed. */
function eventStore(): EventStore {
  const events: { readonly streamId: string; readonly message: JSONRPCMessage }[] = [];
  return {
    storeEvent: async (streamId, message) => String(events.push({ streamId, message })),
    replayEventsAfter: async (lastEventId, { send }) => {
      const after = Number(lastEventId);
      const streamId = events[after - 1]?.streamId ?? '';
      for (const [i, event] of events.entries()) {
        if (i >= after && event.streamId === streamId) await send(String(i + 1), event.message);
      }
      return streamId;
    },
  };
}

/** Has sessions, as in the older era. */
const server = createServer(async (request, response) => {
  const sessionId = request.headers['mcp-session-id'];
  fixture.note(`http ${request.method} ${request.headers['user-agent']}`);
  const known = typeof sessionId === 'string' ? sessions.get(sessionId) : undefined;
  if (known) return known.handleRequest(request, response);
  if (sessionId !== undefined) {
    response.writeHead(options.unknownSession, { 'content-type': 'application/json' });
    response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"No valid session"},"id":null}');
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    ...(options.resumable && { eventStore: eventStore() }),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await v1Server(fixture).connect(transport);
  await transport.handleRequest(request, response);
});
// Changes the tool list while no notification stream is open.
process.on('SIGUSR2', () => {
  for (const transport of sessions.values()) transport.closeStandaloneSSEStream();
  fixture.add();
});
server.listen(options.port, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
