import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Times of the first probes after a client closed its sending side; the last one is repeated (ms). */
const PROBE_DELAYS_MS = [0, 100, 1_000];

/**
 * Answers clients that close their sending side after the request (a TCP half-close). A client that is gone looks the same
 * until something is sent to it, so probes are sent while the response is pending: they fail where nobody reads them.
 */
export function answerHalfClosed(server: Server): (response: ServerResponse) => void {
  const pending = new WeakMap<Socket, ServerResponse>();
  // A property of Node's server that its types lack: without it, the end of the client's side ends the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const response = pending.get(socket);
      if (response) probe(response, PROBE_DELAYS_MS);
    });
  });
  return (response) => {
    pending.set(response.req.socket, response);
  };
}

function probe(response: ServerResponse, [delay, ...later]: readonly number[]): void {
  const timer = setTimeout(() => {
    if (response.writableEnded || response.closed) return;
    sendProbe(response);
    probe(response, later.length > 0 ? later : [delay!]);
  }, delay);
  timer.unref();
}

/** Clients skip an interim response, and a comment in a stream. HTTP/1.0 has no interim responses. */
function sendProbe(response: ServerResponse): void {
  if (response.headersSent) response.write(':\n\n');
  else if (response.req.httpVersionMinor > 0) response.writeProcessing();
}
