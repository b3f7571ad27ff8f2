import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LOCAL_USER } from '../contract/call/principal.ts';
import { identifyLocalUser } from './identity.ts';
import { type HttpRoute, type Listener, type ListenerOptions, listen } from './listener.ts';
import { statusRoute } from './status-route.ts';

async function openListener(more: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: ['gate.example'],
    allowedOrigins: ['https://app.example'],
    routes: [statusRoute('/healthz', () => ({ isOk: true, body: { status: 'ok' } }))],
    identify: identifyLocalUser(LOCAL_USER),
    onError: () => {},
    ...more,
  });
  onTestFinished(() => listener.close());
  return listener;
}

/** Sends exactly these headers; fetch does not allow a test to choose its Host. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/healthz`, { headers, setHost: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('listen', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:80',
    'localhost',
    'localhost:',
    'LOCALHOST:1',
    '[::1]:7332',
    'gate.example:443',
  ])('serves the host name %s', async (host) => {
    expect(await statusOf((await openListener()).url, { host })).toBe(200);
  });

  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example:80',
    '10.0.0.1',
    '@127.0.0.1',
    ' ',
    'a b',
  ])('refuses the host name %j, which a web page may have rebound', async (host) => {
    expect(await statusOf((await openListener()).url, { host })).not.toBe(200);
  });

  it.each([
    ['http://localhost:3000', 200],
    ['https://app.example', 200],
    ['https://evil.example', 403],
    ['https://app.example.evil.example', 403],
    ['null', 403],
    ['http://localhost.evil.example', 403],
  ])('responds to a request from origin %s with status %i', async (origin, status) => {
    expect(await statusOf((await openListener()).url, { host: 'localhost', origin })).toBe(status);
  });

  it('serves its health to GET and HEAD, and refuses other methods', async () => {
    const { url } = await openListener();
    const statuses = await Promise.all(
      ['GET', 'HEAD', 'POST', 'DELETE'].map(
        async (method) => (await fetch(`${url}/healthz`, { method })).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 405, 405]);
  });

  describe('CORS', () => {
    const PREFLIGHT = {
      'access-control-request-method': 'POST',
      'access-control-request-headers':
        'content-type,authorization,idempotency-key,mcp-protocol-version,mcp-param-region,x-other',
    };
    const corsHeaders = (headers: Headers): Record<string, string> =>
      Object.fromEntries([...headers].filter(([name]) => /^access-control|^vary/.test(name)));

    it('answers the preflight request of an allowed origin', async () => {
      const { url } = await openListener();
      const headers = { origin: 'https://app.example', ...PREFLIGHT };
      const response = await fetch(`${url}/mcp`, { method: 'OPTIONS', headers });
      expect(response.status).toBe(204);
      expect(corsHeaders(response.headers)).toEqual({
        'access-control-allow-origin': 'https://app.example',
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-allow-headers':
          'content-type, authorization, idempotency-key, mcp-protocol-version, mcp-param-region',
        'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate, Retry-After',
        'access-control-max-age': '600',
        vary: 'Origin',
      });
    });

    it('lets pages of an allowed origin read the answer', async () => {
      const { url } = await openListener();
      const response = await fetch(`${url}/healthz`, { headers: { origin: 'https://app.example' } });
      expect([response.status, corsHeaders(response.headers)]).toEqual([
        200,
        {
          'access-control-allow-origin': 'https://app.example',
          'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate, Retry-After',
          vary: 'Origin',
        },
      ]);
    });

    it.each(['http://localhost:3000', 'https://evil.example', 'null', undefined])(
      'sends no CORS header to origin %s',
      async (origin) => {
        const { url } = await openListener();
        for (const method of ['GET', 'OPTIONS']) {
          const headers = { ...PREFLIGHT, ...(origin !== undefined && { origin }) };
          const response = await fetch(`${url}/healthz`, { method, headers });
          expect(Object.keys(corsHeaders(response.headers)).filter((name) => name !== 'vary')).toEqual([]);
          expect(response.status).not.toBe(204);
        }
      },
    );
  });

  it('ends a request that is not complete after the timeout', async () => {
    const readsBody: HttpRoute = {
      matches: () => true,
      handle: (request) => new Promise((resolve) => request.resume().once('end', resolve)),
    };
    const { url } = await openListener({ requestTimeoutMs: 100, routes: [readsBody] });
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{');
    await once(socket.resume(), 'close');
  });

  it('reports a failed handler to the log, and not its cause to the client', async () => {
    const logged: Error[] = [];
    const failingRoute: HttpRoute = {
      matches: (path) => path === '/boom',
      handle: () => {
        throw new Error('the secret cause');
      },
    };
    const { url } = await openListener({ routes: [failingRoute], onError: (error) => logged.push(error) });
    const response = await fetch(`${url}/boom`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(logged.map(({ message }) => message)).toEqual(['the secret cause']);
  });

  it('responds to an unknown path with 404', async () => {
    const response = await fetch(`${(await openListener()).url}/nowhere`);
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ error: 'NOT_FOUND' }),
    ]);
  });

  it('rejects when the port is taken', async () => {
    const port = Number(new URL((await openListener()).url).port);
    await expect(openListener({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('closes while a client keeps its connection open', async () => {
    const listener = await openListener();
    await (await fetch(`${listener.url}/healthz`)).text();
    await listener.close();
    await expect(fetch(`${listener.url}/healthz`)).rejects.toThrow();
  });
});
