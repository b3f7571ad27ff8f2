import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { Hono } from 'hono';
import { LRUCache } from 'lru-cache';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Names under which this listener may be addressed beside loopback ones. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly routes: readonly Hono[];
  readonly health: () => object;
  /** For the log: the caller is told nothing of it. */
  readonly onError: (error: Error) => void;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** One HTTP listener for every wire, guarded against pages that a browser was tricked into opening. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const app = new Hono();
  const refusal = guard(options);
  app.get('/healthz', (context) => context.json(options.health()));
  for (const routes of options.routes) app.route('/', routes);
  app.notFound((context) =>
    context.json({ error: 'NOT_FOUND', message: 'Nothing is here. MCP is at /mcp.' }, 404),
  );
  app.onError((error, context) => {
    options.onError(error);
    return context.json({ error: 'INTERNAL', message: 'The gateway failed. See its log.' }, 500);
  });

  const { promise: listening, resolve, reject } = Promise.withResolvers<AddressInfo>();
  const fetch: typeof app.fetch = (request, ...rest) => refusal(request) ?? app.fetch(request, ...rest);
  const server: ServerType = serve({ fetch, hostname: options.host, port: options.port }, resolve);
  server.once('error', reject);
  const address = await listening;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${host}:${address.port}`,
    close: () =>
      new Promise((done) => {
        // A connection that falls idle after this moment would keep the server open until its own time-out.
        const sweep = setInterval(
          () => 'closeIdleConnections' in server && server.closeIdleConnections(),
          50,
        );
        server.close(() => {
          clearInterval(sweep);
          done();
        });
      }),
  };
}

/** DNS rebinding and cross-site requests both show in these two headers. */
function guard({ host, allowedHosts, allowedOrigins }: ListenerOptions): Guard {
  const hosts = new Set([...LOOPBACK, host, ...allowedHosts]);
  const isServed = remembered((header) => hosts.has(hostnameOf(`http://${header}`) ?? ''));
  return ({ headers }) => {
    if (!isServed(headers.get('host') ?? '')) return forbidden('This host name is not served here.');
    const origin = headers.get('origin');
    if (origin === null || allowedOrigins.includes(origin)) return undefined;
    return LOOPBACK.has(hostnameOf(origin) ?? '') ? undefined : forbidden('This origin is not allowed here.');
  };
}

/** What a request is refused with, before anybody looks at it. */
type Guard = (request: Request) => Response | undefined;

function forbidden(message: string): Response {
  return Response.json({ error: 'FORBIDDEN', message }, { status: 403 });
}

/** The same few Host headers come with every request, and parsing one costs more than the rest of the guard. */
function remembered(judge: (header: string) => boolean): (header: string) => boolean {
  const verdicts = new LRUCache<string, boolean>({ max: 100 });
  return (header) => {
    const verdict = verdicts.get(header) ?? judge(header);
    verdicts.set(header, verdict);
    return verdict;
  };
}

function hostnameOf(url: string): string | undefined {
  try {
    return new URL(url).hostname;
  } catch {
    return undefined;
  }
}
