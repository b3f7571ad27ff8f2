import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LRUCache } from 'lru-cache';

/** A wire that takes requests for its paths. Where answering fails the listener says so. */
export interface HttpRoute {
  readonly matches: (path: string) => boolean;
  readonly handle: (request: IncomingMessage, response: ServerResponse, path: string) => void | Promise<void>;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Names under which this listener may be addressed beside loopback ones. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly routes: readonly HttpRoute[];
  readonly health: () => object;
  /** For the log: the caller is told nothing of it. */
  readonly onError: (error: Error) => void;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** A name or an address, and perhaps a port: an address of the web has room for more, and would be read without it. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d*)?$/i;
/** For what is still being said or heard when the listener closes. */
const CLOSING_PATIENCE_MS = 2_000;
/** For a caller that has its answer before it has said everything: it may not hear it before. */
const REST_PATIENCE_MS = 500;

/** One HTTP listener for every wire, guarded against pages that a browser was tricked into opening. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const refusal = guard(options);
  const doors = [...options.routes, healthRoute(options.health)];
  // Joined: of two hosts somebody on the way may have believed the other one.
  const server = createServer({ joinDuplicateHeaders: true }, async (request, response) => {
    try {
      const refused = refusal(request);
      if (refused !== undefined) return sendJson(response, 403, { error: 'FORBIDDEN', message: refused });
      const path = pathOf(request);
      const door = doors.find(({ matches }) => matches(path)) ?? NOT_FOUND;
      await door.handle(request, response, path);
    } catch (error) {
      // Whoever went away needs no answer, and that it did is no failure of ours.
      if (response.destroyed) return;
      options.onError(error as Error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: 'INTERNAL', message: 'The gateway failed. See its log.' });
    }
  });
  const { address, family, port } = await listening(server, options);
  server.on('error', options.onError);
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((done) => {
        // A connection that falls idle after this moment would keep the server open until its own time-out.
        const sweep = setInterval(() => server.closeIdleConnections(), 50);
        const end = setTimeout(() => server.closeAllConnections(), CLOSING_PATIENCE_MS);
        server.close(() => {
          clearInterval(sweep);
          clearTimeout(end);
          done();
        });
      }),
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
  if (!response.req.complete) setTimeout(() => endUnlessComplete(response.req), REST_PATIENCE_MS).unref();
}

function endUnlessComplete(request: IncomingMessage): void {
  if (!request.complete) request.socket.destroy();
}

const NOT_FOUND: HttpRoute = {
  matches: () => true,
  handle: (_, response) =>
    sendJson(response, 404, { error: 'NOT_FOUND', message: 'Nothing is here. MCP is at /mcp.' }),
};

const READS = new Set(['GET', 'HEAD']);

function healthRoute(health: () => object): HttpRoute {
  return {
    matches: (path) => path === '/healthz',
    handle({ method = '' }, response) {
      if (READS.has(method)) return sendJson(response, 200, health());
      sendJson(response, 405, { error: 'METHOD_NOT_ALLOWED', message: 'Use GET.' }, { allow: 'GET, HEAD' });
    },
  };
}

/** Of a target that is a whole address, as proxies send it, too. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const target = url.startsWith('/') ? url : (URL.parse(url)?.pathname ?? '');
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

async function listening(server: Server, { host, port }: ListenerOptions): Promise<AddressInfo> {
  server.listen(port, host);
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

/** DNS rebinding and cross-site requests both show in these two headers. Says why a request is refused, if it is. */
function guard(options: ListenerOptions): (request: IncomingMessage) => string | undefined {
  const { host, allowedHosts, allowedOrigins } = options;
  const hosts = new Set([...LOOPBACK, host, ...allowedHosts]);
  const isServed = memoized((header) => HOST.test(header) && hosts.has(hostnameOf(`http://${header}`) ?? ''));
  return ({ headers }) => {
    if (!isServed(headers.host ?? '')) return 'This host name is not served here.';
    const { origin } = headers;
    if (origin === undefined || allowedOrigins.includes(origin)) return undefined;
    return LOOPBACK.has(hostnameOf(origin) ?? '') ? undefined : 'This origin is not allowed here.';
  };
}

/** The same few Host headers come with every request, and parsing one costs more than the rest of the guard. */
function memoized(judge: (header: string) => boolean): (header: string) => boolean {
  const verdicts = new LRUCache<string, boolean>({ max: 100 });
  return (header) => {
    const verdict = verdicts.get(header) ?? judge(header);
    verdicts.set(header, verdict);
    return verdict;
  };
}

function hostnameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}
