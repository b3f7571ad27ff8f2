import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LOCAL_USER } from '../contract/call/principal.ts';
import { identifyLocalUser } from './identity.ts';
import { type HttpRoute, type Listener, type ListenerOptions, listen } from './listener.ts';
import { statusRoute } from './status-route.ts';

async function opened(more: Partial<ListenerOptions> = {}): Promise<Listener> {
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

/** A request with exactly these headers: fetch would not let a test choose its Host. */
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

describe('a listener', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:80',
    'localhost',
    'localhost:',
    'LOCALHOST:1',
    '[::1]:7332',
    'gate.example:443',
  ])('answers to the name %s', async (host) => {
    expect(await statusOf((await opened()).url, { host })).toBe(200);
  });

  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example:80',
    '10.0.0.1',
    '@127.0.0.1',
    ' ',
    'a b',
  ])('does not answer to the name %j: a page may have rebound it', async (host) => {
    expect(await statusOf((await opened()).url, { host })).not.toBe(200);
  });

  it.each([
    ['http://localhost:3000', 200],
    ['https://app.example', 200],
    ['https://evil.example', 403],
    ['https://app.example.evil.example', 403],
    ['null', 403],
    ['http://localhost.evil.example', 403],
  ])('treats a page from %s with %i', async (origin, status) => {
    expect(await statusOf((await opened()).url, { host: 'localhost', origin })).toBe(status);
  });

  it('tells its health to whoever asks, and takes nothing from those who send', async () => {
    const { url } = await opened();
    const statuses = await Promise.all(
      ['GET', 'HEAD', 'POST', 'DELETE'].map(
        async (method) => (await fetch(`${url}/healthz`, { method })).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 405, 405]);
  });

  it('sends no permission to other origins', async () => {
    const response = await fetch(`${(await opened()).url}/healthz`, {
      headers: { origin: 'http://localhost' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('tells the log what failed, and the caller nothing of it', async () => {
    const seen: Error[] = [];
    const door: HttpRoute = {
      matches: (path) => path === '/boom',
      handle: () => {
        throw new Error('the secret cause');
      },
    };
    const { url } = await opened({ routes: [door], onError: (error) => seen.push(error) });
    const response = await fetch(`${url}/boom`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(seen.map(({ message }) => message)).toEqual(['the secret cause']);
  });

  it('says what is here where nothing is', async () => {
    const response = await fetch(`${(await opened()).url}/nowhere`);
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ error: 'NOT_FOUND' }),
    ]);
  });

  it('rejects when the port is taken', async () => {
    const port = Number(new URL((await opened()).url).port);
    await expect(opened({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('closes under a client that keeps its connection', async () => {
    const listener = await opened();
    await (await fetch(`${listener.url}/healthz`)).text();
    await listener.close();
    await expect(fetch(`${listener.url}/healthz`)).rejects.toThrow();
  });
});
