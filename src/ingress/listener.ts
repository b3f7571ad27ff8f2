import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../contract/call/caller.ts';
import { Cors } from './cors.ts';
import { answerHalfClosed } from './half-open.ts';
import { type Identify, readCaller } from './identity.ts';

/** Handles the requests of its paths. The listener responds for a handler that throws. */
export interface HttpRoute {
  readonly matches: (path: string) => boolean;
  readonly handle: (
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
  ) => void | Promise<void>;
}

export interface RequestContext {
  readonly path: string;
  readonly caller: Caller;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Host names under which this listener is addressed, besides the loopback ones; `any` turns the check off. */
  readonly allowedHosts: readonly string[] | 'any';
  /** Web origins whose pages may send requests and read the answers, besides loopback ones, which only send. */
  readonly allowedOrigins: readonly string[];
  /** Time for a client to send its request, headers and body (ms). */
  readonly requestTimeoutMs?: number;
  readonly routes: readonly HttpRoute[];
  readonly identify: Identify;
  /** For the log; the caller gets a general error. */
  readonly onError: (error: Error) => void;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);
/** A name or an address with an optional port. A URL parser would accept more, and drop it. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d*)?$/i;
/** Time for requests and responses in transit when the listener closes. */
const CLOSE_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Time for a client that is still sending its request: it may read the response only after that. */
const UNREAD_BODY_TIMEOUT_MS = 500;

/** One HTTP listener for all routes, protected against DNS rebinding and cross-site requests. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const refusal = guard(options);
  const cors = new Cors(options.allowedOrigins);
  const server = createServer(serverOptions(options), async (request, response) => {
    keepUntilAnswered(response);
    try {
      const refused = refusal(request);
      if (refused !== undefined) return sendJson(response, 403, { error: 'FORBIDDEN', message: refused });
      if (cors.handle(request, response)) return;
      const path = pathOf(request);
      const route = options.routes.find(({ matches }) => matches(path)) ?? NOT_FOUND;
      await route.handle(request, response, { path, caller: readCaller(options.identify, request.headers) });
    } catch (error) {
      // A client that disconnected needs no response, and that is not an error.
      if (response.destroyed) return;
      options.onError(error as Error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: 'INTERNAL', message: 'The gateway failed. See its log.' });
    }
  });
  const keepUntilAnswered = answerHalfClosed(server);
  const { address, family, port } = await listening(server, options);
  server.on('error', options.onError);
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((done) => {
        // A connection that becomes idle later would keep the server open until its own timeout.
        const sweep = setInterval(() => server.closeIdleConnections(), 50);
        const end = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
        server.close(() => {
          clearInterval(sweep);
          clearTimeout(end);
          done();
        });
      }),
  };
}

function serverOptions({ requestTimeoutMs = REQUEST_TIMEOUT_MS }: ListenerOptions): ServerOptions {
  return {
    // Duplicates are joined and so refused: with two Host headers, a proxy before us may have used the other one.
    joinDuplicateHeaders: true,
    // Node looks for slow requests at an interval, so a request that arrives at once costs no timer.
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, 1_000),
  };
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
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
  if (!response.req.complete)
    setTimeout(() => endUnlessComplete(response.req), UNREAD_BODY_TIMEOUT_MS).unref();
}

function endUnlessComplete(request: IncomingMessage): void {
  if (!request.complete) request.socket.destroy();
}

const NOT_FOUND: HttpRoute = {
  matches: () => true,
  handle: (_, response) =>
    sendJson(response, 404, { error: 'NOT_FOUND', message: 'Not found. MCP is served at /mcp.' }),
};

/** Reads also an absolute-form target, which proxies send (RFC 9112, section 3.2.2). */
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

/** Returns why a request is refused, if it is. Host reveals DNS rebinding, and Origin a cross-site request. */
function guard(options: ListenerOptions): (request: IncomingMessage) => string | undefined {
  const { host, allowedHosts, allowedOrigins } = options;
  const hosts = new Set([...LOOPBACK, host, ...(allowedHosts === 'any' ? [] : allowedHosts)]);
  const isServed =
    allowedHosts === 'any'
      ? () => true
      : memoized((header) => HOST.test(header) && hosts.has(hostnameOf(`http://${header}`) ?? ''));
  return ({ headers, url = '/' }) => {
    // The target of a request may name a host too (RFC 9112, section 3.2.2), and then it counts instead of Host.
    const isServedTarget = url.startsWith('/') || url === '*' || isServed(URL.parse(url)?.host ?? '');
    if (!isServedTarget || !isServed(headers.host ?? ''))
      return 'This host name is not served here. Add it to server.allowedHosts.';
    const { origin } = headers;
    if (origin === undefined || allowedOrigins.includes(origin)) return undefined;
    return LOOPBACK.has(hostnameOf(origin) ?? '')
      ? undefined
      : 'This origin is not allowed here. Add it to server.allowedOrigins.';
  };
}

/** Parsing a Host header costs more than the rest of the guard, and requests repeat the same few values. */
function memoized(test: (header: string) => boolean): (header: string) => boolean {
  const results = new LRUCache<string, boolean>({ max: 100 });
  return (header) => {
    const result = results.get(header) ?? test(header);
    results.set(header, result);
    return result;
  };
}

function hostnameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}
