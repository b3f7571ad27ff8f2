import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type EventStore,
  StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { readOrders, Workshop } from './fixture-server.ts';
import { v1Server } from './v1.ts';

const orders = readOrders();
const workshop = new Workshop(orders);
const sessions = new Map<string, StreamableHTTPServerTransport>();

/** Keeps every event, so that a broken stream can be taken up again. */
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

/** Sessions as the older era has them. */
const server = createServer(async (request, response) => {
  const asked = request.headers['mcp-session-id'];
  const known = typeof asked === 'string' ? sessions.get(asked) : undefined;
  if (known) return known.handleRequest(request, response);
  if (asked !== undefined) {
    response.writeHead(orders.unknownSession, { 'content-type': 'application/json' });
    response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"No valid session"},"id":null}');
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    ...(orders.resumable && { eventStore: eventStore() }),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await v1Server(workshop).connect(transport);
  await transport.handleRequest(request, response);
});
// Says something while nobody listens.
process.on('SIGUSR2', () => {
  for (const transport of sessions.values()) transport.closeStandaloneSSEStream();
  workshop.add();
});
server.listen(orders.port, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
