import type { IncomingMessage, ServerResponse } from 'node:http';

const METHODS = 'GET, POST, DELETE';
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After';
/** Request headers of MCP and of this gateway. Headers that start with `mcp-` are allowed too: servers define some of them. */
const ALLOWED = new Set([
  'accept',
  'authorization',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'toolgate-session',
  'toolgate-timeout-ms',
  'traceparent',
  'tracestate',
]);
/** How long a browser may reuse the answer to a preflight request. */
const MAX_AGE_SECONDS = '600';

/** Lets web pages of these origins read answers (CORS). Answers to all other pages have no CORS header. */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Sets the headers of the answer. Returns true where it has answered a preflight request, which has no caller. */
  handle({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
    if (this.#origins.size === 0) return false;
    response.setHeader('vary', 'Origin');
    const { origin } = headers;
    if (origin === undefined || !this.#origins.has(origin)) return false;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-expose-headers', EXPOSED);
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
    response
      .writeHead(204, {
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': allowedHeaders(headers['access-control-request-headers']),
        'access-control-max-age': MAX_AGE_SECONDS,
      })
      .end();
    return true;
  }
}

function allowedHeaders(requested = ''): string {
  const names = requested.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => ALLOWED.has(name) || /^mcp-[\w-]+$/.test(name)).join(', ');
}
