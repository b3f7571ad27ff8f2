import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseMetricsAddress, serveMetrics } from './metrics-endpoint.ts';

describe('an address for metrics', () => {
  it.each([
    [9464, { host: '127.0.0.1', port: 9464 }],
    ['9464', { host: '127.0.0.1', port: 9464 }],
    [0, { host: '127.0.0.1', port: 0 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['gate.internal:80', { host: 'gate.internal', port: 80 }],
    ['[::1]:9464', { host: '::1', port: 9464 }],
  ])('%s', (text, address) => {
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
  ])('is not «%s»', (text) => {
    expect(parseMetricsAddress(text)).toBeUndefined();
  });
});

describe('the endpoint of metrics', () => {
  const asked = async (
    url: string,
    { path = '/metrics', method = 'GET', host }: { path?: string; method?: string; host?: string } = {},
  ): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = host === undefined ? {} : { host };
      request(url, { path, method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
        .on('error', reject)
        .end();
    });

  it('answers who asks for metrics by its own name, and nobody else', async () => {
    let answers = 0;
    const endpoint = await serveMetrics({ host: '127.0.0.1', port: 0 }, (_, response) => {
      answers++;
      response.end();
    });
    onTestFinished(endpoint.close);
    const { url } = endpoint;
    const { port } = new URL(url);
    expect(await asked(url)).toBe(200);
    expect(await asked(url, { path: '/metrics?x=1' })).toBe(200);
    expect(await asked(url, { host: `localhost:${port}` })).toBe(200);
    expect(await asked(url, { path: '/' })).toBe(404);
    expect(await asked(url, { path: '//' })).toBe(404);
    expect(await asked(url, { method: 'POST' })).toBe(405);
    expect(await asked(url, { host: 'evil.example' })).toBe(403);
    expect(await asked(url, { host: '[' })).toBe(403);
    expect(answers).toBe(3);
  });

  it('says so when the port is taken, and frees it when it is closed', async () => {
    const first = await serveMetrics({ host: '127.0.0.1', port: 0 }, (_, response) => response.end());
    const address = { host: '127.0.0.1', port: Number(new URL(first.url).port) };
    await expect(serveMetrics(address, () => {})).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await first.close();
    const second = await serveMetrics(address, (_, response) => response.end());
    expect(second.url).toBe(first.url);
    await second.close();
  });
});
