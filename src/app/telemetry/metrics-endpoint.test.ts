import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Listener } from '../../ingress/listener.ts';
import { type MetricsEndpointOptions, parseMetricsAddress, serveMetrics } from './metrics-endpoint.ts';

describe('parseMetricsAddress', () => {
  it.each([
    [9464, { host: '127.0.0.1', port: 9464 }],
    ['9464', { host: '127.0.0.1', port: 9464 }],
    [0, { host: '127.0.0.1', port: 0 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['gate.internal:80', { host: 'gate.internal', port: 80 }],
    ['[::1]:9464', { host: '::1', port: 9464 }],
  ])('parses %s', (text, address) => {
    expect(parseMetricsAddress(text)).toEqual(address);
  });

  it.each([
    '',
    'here',
    ':9464',
    'here:',
    '::1:9464',
    'http://here:9464',
    'here:70000',
    'a b:1',
    'here:1/metrics',
  ])('rejects «%s»', (text) => {
    expect(parseMetricsAddress(text)).toBeUndefined();
  });
});

const LOOPBACK = { host: '127.0.0.1', port: 0 };

describe('serveMetrics', () => {
  const open = (more: Partial<MetricsEndpointOptions> = {}): Promise<Listener> =>
    serveMetrics({
      address: LOOPBACK,
      handle: (_, response) => void response.end(),
      onError: () => {},
      ...more,
    });

  interface RequestOptions {
    readonly path?: string;
    readonly method?: string;
    readonly headers?: Record<string, string>;
  }

  const statusOf = async (
    url: string,
    { path = '/metrics', method = 'GET', headers = {} }: RequestOptions = {},
  ): Promise<number> =>
    new Promise((resolve, reject) => {
      request(url, { path, method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
        .on('error', reject)
        .end();
    });

  it('answers GET /metrics with a loopback host, and nothing else', async () => {
    let scrapes = 0;
    const endpoint = await open({
      handle: (_, response) => {
        scrapes++;
        response.end();
      },
    });
    onTestFinished(endpoint.close);
    const { url } = endpoint;
    const { port } = new URL(url);
    expect(await statusOf(url)).toBe(200);
    expect(await statusOf(url, { path: '/metrics?x=1' })).toBe(200);
    expect(await statusOf(url, { headers: { host: `localhost:${port}` } })).toBe(200);
    for (const path of ['/', '//', '/healthz', '/mcp']) expect(await statusOf(url, { path })).toBe(404);
    expect(await statusOf(url, { method: 'POST' })).toBe(405);
    expect(await statusOf(url, { headers: { host: 'evil.example' } })).toBe(403);
    expect(await statusOf(url, { headers: { host: '[' } })).toBe(403);
    expect(await statusOf(url, { headers: { origin: 'https://evil.example' } })).toBe(403);
    expect(scrapes).toBe(3);
  });

  it('accepts any host name on an address that is not loopback', async () => {
    const endpoint = await open({ address: { host: '0.0.0.0', port: 0 } });
    onTestFinished(endpoint.close);
    const url = `http://127.0.0.1:${new URL(endpoint.url).port}`;
    expect(await statusOf(url, { headers: { host: 'gate.internal:9464' } })).toBe(200);
  });

  it('rejects when the port is taken, and frees the port when closed', async () => {
    const first = await open();
    const address = { host: '127.0.0.1', port: Number(new URL(first.url).port) };
    await expect(open({ address })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await first.close();
    const second = await open({ address });
    expect(second.url).toBe(first.url);
    await second.close();
  });
});
