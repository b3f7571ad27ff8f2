import { describe, expect, it } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import {
  type ObservedGateway,
  openObservedGateway,
  type Point,
  startCollector,
  startTestUpstream,
  type TestUpstream,
} from './telemetry-fixtures.ts';

const LONG = { version: 'none', timeoutClass: 'long_running' };
const READ = { version: 'none', mutationClass: 'read_only' };
const WRITE = { version: 'none', mutationClass: 'write_reversible' };
const UNKNOWN = { toolId: 'unknown', version: 'unknown' };

const BILLED: NativeTool = {
  name: 'billed',
  version: '2.1.0',
  description: 'Costs something.',
  inputSchema: { type: 'object' },
  declared: { mutation: 'read_only', timeoutClass: 'standard', cost: { perCall: 0.25, tokens: 10 } },
  run: () => ({ ok: true }),
};

/** Makes calls that end in every possible way. EXPECTED has their metrics. */
async function makeMixedCalls(observed: ObservedGateway, upstream: TestUpstream): Promise<void> {
  const call = (name: string, more: object = {}, headers: Record<string, string> = {}): Promise<unknown> =>
    observed.execute({ tool_id: `/shop/${name}`, args: { text: 'x' }, ...more }, headers);
  for (let i = 0; i < 3; i++) await call('read');
  await call('read', { args: {} });
  await call('read', { dry_run: true });
  upstream.busyFor = 1;
  await call('read');
  await call('sleep', {}, { 'toolgate-timeout-ms': '200' });
  for (let i = 0; i < 2; i++) await call('write', { idempotency_key: 'k' });
  await call('refuse');
  await call('lie');
  for (let i = 0; i < 3; i++) await call(`made-up-${i}`);
  for (let i = 0; i < 2; i++) await observed.execute({ tool_id: '/here/billed', args: {} });
}

const EXPECTED: Readonly<Record<string, readonly Point[]>> = {
  'tool.invocation.count': [
    [{ toolId: 'shop:read', status: 'ok', ...READ }, 4],
    [{ toolId: 'shop:read', status: 'error', ...READ }, 1],
    [{ toolId: 'shop:read', status: 'dry_run', ...READ }, 1],
    [{ toolId: 'shop:sleep', status: 'error', ...READ }, 1],
    [{ toolId: 'shop:write', status: 'ok', ...WRITE }, 2],
    [{ toolId: 'shop:refuse', status: 'error', ...READ }, 1],
    [{ toolId: 'shop:lie', status: 'error', ...READ }, 1],
    [{ ...UNKNOWN, status: 'error', mutationClass: 'unknown' }, 3],
    [{ toolId: 'here:billed', version: '2.1.0', status: 'ok', mutationClass: 'read_only' }, 2],
  ],
  'tool.invocation.latency_ms': [
    [{ toolId: 'shop:read', ...LONG }, 5],
    [{ toolId: 'shop:sleep', ...LONG }, 1],
    [{ toolId: 'shop:write', ...LONG }, 2],
    [{ toolId: 'shop:refuse', ...LONG }, 1],
    [{ toolId: 'shop:lie', ...LONG }, 1],
    [{ ...UNKNOWN, timeoutClass: 'unknown' }, 3],
    [{ toolId: 'here:billed', version: '2.1.0', timeoutClass: 'standard' }, 2],
  ],
  'tool.invocation.cost': [
    [{ toolId: 'here:billed', version: '2.1.0', costCategory: 'call' }, 0.5],
    [{ toolId: 'here:billed', version: '2.1.0', costCategory: 'tokens' }, 20],
  ],
  'tool.invocation.retries': [[{ toolId: 'shop:read', version: 'none' }, 1]],
  'tool.invocation.timeout_rate': [
    [{ toolId: 'shop:read', ...LONG }, 0],
    [{ toolId: 'shop:sleep', ...LONG }, 1],
    [{ toolId: 'shop:write', ...LONG }, 0],
    [{ toolId: 'shop:refuse', ...LONG }, 0],
    [{ toolId: 'shop:lie', ...LONG }, 0],
    [{ ...UNKNOWN, timeoutClass: 'unknown' }, 0],
    [{ toolId: 'here:billed', version: '2.1.0', timeoutClass: 'standard' }, 0],
  ],
  'tool.idempotency.replay_rate': [
    [{ toolId: 'shop:read' }, 0],
    [{ toolId: 'shop:sleep' }, 0],
    [{ toolId: 'shop:write' }, 1 / 2],
    [{ toolId: 'shop:refuse' }, 0],
    [{ toolId: 'shop:lie' }, 0],
    [{ toolId: 'unknown' }, 0],
    [{ toolId: 'here:billed' }, 0],
  ],
  'tool.schema.validation_failure_rate': [
    [{ toolId: 'shop:read', phase: 'input' }, 1 / 6],
    [{ toolId: 'shop:sleep', phase: 'input' }, 0],
    [{ toolId: 'shop:write', phase: 'input' }, 0],
    [{ toolId: 'shop:refuse', phase: 'input' }, 0],
    [{ toolId: 'shop:lie', phase: 'input' }, 0],
    [{ toolId: 'shop:lie', phase: 'output' }, 1],
    [{ toolId: 'here:billed', phase: 'input' }, 0],
  ],
};

/** Parses a scrape: one line is `name{label="value",…} number`. */
function parseScrape(text: string): Record<string, Point[]> {
  const points: Record<string, Point[]> = {};
  for (const line of text.split('\n').filter((row) => row !== '' && !row.startsWith('#'))) {
    const [, name, inBraces, value] = /^(\w+)\{(.*)\} (\S+)$/.exec(line)!;
    const labels = Object.fromEntries(
      [...inBraces!.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]),
    );
    points[name!] ??= [];
    points[name!]!.push([labels, Number(value)]);
  }
  return points;
}

const SCRAPED = {
  'tool.invocation.count': 'tool_invocation_count_total',
  'tool.invocation.latency_ms': 'tool_invocation_latency_ms_count',
  'tool.invocation.cost': 'tool_invocation_cost_total',
  'tool.invocation.retries': 'tool_invocation_retries_total',
  'tool.invocation.timeout_rate': 'tool_invocation_timeout_rate',
  'tool.idempotency.replay_rate': 'tool_idempotency_replay_rate',
  'tool.schema.validation_failure_rate': 'tool_schema_validation_failure_rate',
} as const;

function sortPoints(points: readonly Point[]): Point[] {
  const key = ([labels]: Point): string => JSON.stringify(Object.entries(labels).toSorted());
  return points.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

describe('metrics of calls that end in every way', () => {
  it('are exact, and the same for a collector and for a scrape', async () => {
    const [collector, upstream] = await Promise.all([startCollector(), startTestUpstream()]);
    const observed = await openObservedGateway(
      {
        telemetry: { otlp: collector.url, prometheus: 0 },
        upstreams: { shop: { url: upstream.url } },
        retry: { attempts: 2, baseDelayMs: 1, maxDelayMs: 1 },
      },
      { native: [BILLED] },
    );
    await makeMixedCalls(observed, upstream);
    const scrape = await fetch((await observed.gateway.serveMetrics())!);
    expect(scrape.status).toBe(200);
    const scraped = parseScrape(await scrape.text());
    await observed.close();

    expect(Object.keys(collector.metrics).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
    for (const [name, points] of Object.entries(EXPECTED)) {
      expect(sortPoints(collector.metrics[name]!), name).toEqual(sortPoints(points));
    }
    for (const [name, scrapedName] of Object.entries(SCRAPED)) {
      expect(sortPoints(scraped[scrapedName]!), name).toEqual(sortPoints(EXPECTED[name]!));
    }
    expect(collector.payloads).not.toContain('made-up');
  });
});

describe('/metrics', () => {
  it('works without a collector and ends with the gateway', async () => {
    const observed = await openObservedGateway({ telemetry: { prometheus: 0 } }, { native: [BILLED] });
    await observed.execute({ tool_id: '/here/billed', args: {} });
    const url = (await observed.gateway.serveMetrics())!;
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(await observed.gateway.serveMetrics()).toBe(url);
    expect(await (await fetch(url)).text()).toContain('tool_invocation_count_total{');
    await observed.close();
    await expect(fetch(url)).rejects.toThrow();
  });

  it('is disabled when its port is taken, and calls still work', async () => {
    const first = await openObservedGateway({ telemetry: { prometheus: 0 } }, { native: [BILLED] });
    const { port } = new URL((await first.gateway.serveMetrics())!);
    const second = await openObservedGateway(
      { telemetry: { prometheus: Number(port) } },
      { native: [BILLED] },
    );
    expect(await second.gateway.serveMetrics()).toBeUndefined();
    expect(await second.execute({ tool_id: '/here/billed', args: {} })).toMatchObject({ isError: false });
    expect(second.lines.filter((line) => line.includes('metrics endpoint disabled'))).toHaveLength(1);
  });
});
