import { request } from 'node:http';
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

  it('sends no CORS header', async () => {
    const response = await fetch(`${(await openListener()).url}/healthz`, {
      headers: { origin: 'http://localhost' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
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
