import type { IncomingMessage, ServerResponse } from 'node:http';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import { identifyLocalUser } from '../../ingress/identity.ts';
import { type HttpRoute, isLoopback, type Listener, listen, sendJson } from '../../ingress/listener.ts';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

export interface MetricsEndpointOptions {
  readonly address: MetricsAddress;
  /** Answers one scrape. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  readonly onError: (error: Error) => void;
}

/** Parses `9464`, which means loopback only, or `host:port`; undefined where the text is neither. */
export function parseMetricsAddress(text: string | number): MetricsAddress | undefined {
  const [, host = '127.0.0.1', port] =
    /^(?:(\[[0-9a-f:]+\]|[^\s:[\]/]+):)?(\d{1,5})$/i.exec(String(text)) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Serves `/metrics` and nothing else, on an address of its own. */
export async function serveMetrics({ address, handle, onError }: MetricsEndpointOptions): Promise<Listener> {
  const { url, close } = await listen({
    ...address,
    // Scrapers reach a public address under names that the gateway does not know.
    allowedHosts: isLoopback(address.host) ? [] : 'any',
    allowedOrigins: [],
    routes: [metricsRoute(handle)],
    // Scrapes are not authenticated: the address and the host check protect them.
    identify: identifyLocalUser(LOCAL_USER),
    onError,
  });
  return { url: `${url}/metrics`, close };
}

/** Matches every path, so that the refusal of other paths names the one that exists here. */
function metricsRoute(handle: MetricsEndpointOptions['handle']): HttpRoute {
  return {
    matches: () => true,
    handle(request, response, { path }) {
      if (path !== '/metrics') {
        return sendJson(response, 404, { error: 'NOT_FOUND', message: 'Metrics are at /metrics.' });
      }
      if (request.method === 'GET') return handle(request, response);
      sendJson(response, 405, { error: 'METHOD_NOT_ALLOWED', message: 'Use GET.' }, { allow: 'GET' });
    },
  };
}
