import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

export interface MetricsEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** `9464` on this machine alone, or `host:port`; undefined where it is neither. */
export function parseMetricsAddress(text: string | number): MetricsAddress | undefined {
  const [, host = '127.0.0.1', port] =
    /^(?:(\[[0-9a-f:]+\]|[^\s:[\]/]+):)?(\d{1,5})$/i.exec(String(text)) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** `/metrics`, for whoever scrapes it; nothing else is there. */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<MetricsEndpoint> {
  const onlyHere = LOOPBACK.has(host) || host === '::1';
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?');
    // A page that a browser was tricked into opening must not read the names of tools.
    if (onlyHere && !LOOPBACK.has(hostnameOf(request.headers.host))) response.writeHead(403).end();
    else if (path !== '/metrics') response.writeHead(404).end();
    else if (request.method !== 'GET') response.writeHead(405, { allow: 'GET' }).end();
    else answer(request, response);
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  await listening;
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}/metrics`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function hostnameOf(header: string | undefined): string {
  return URL.canParse(`http://${header}`) ? new URL(`http://${header}`).hostname : '';
}
