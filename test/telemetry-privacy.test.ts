import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { openObservedGateway, startCollector, startTestUpstream } from './telemetry-fixtures.ts';

const canaries: string[] = [];

/** A unique text that must not appear in telemetry. */
function canary(): string {
  const text = `canary-${randomUUID()}`;
  canaries.push(text);
  return text;
}

const FAILS: NativeTool = {
  name: 'fails',
  description: 'Fails with an error that quotes its arguments.',
  inputSchema: { type: 'object' },
  run: (args) => {
    throw Object.assign(new TypeError(`cannot read ${JSON.stringify(args)}`), {
      args,
      code: String(args.code),
    });
  },
};

const ANSWERS: NativeTool = {
  name: 'answers',
  description: 'Returns a result that violates its output schema.',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { secret: { type: 'integer' } } },
  run: () => ({ secret: canary() }),
};

describe('the content of calls', () => {
  it('appears in no export, in no scrape and in no log line', async () => {
    vi.stubEnv('COLLECTOR_KEY', canary());
    const [collector, upstream] = await Promise.all([startCollector(), startTestUpstream()]);
    const observed = await openObservedGateway(
      {
        telemetry: {
          otlp: collector.url,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a config reference, not a template
          otlpHeaders: { 'x-collector-key': '${env:COLLECTOR_KEY}' },
          prometheus: 0,
        },
        upstreams: { shop: { url: upstream.url, headers: { 'x-upstream-key': canary() } } },
        retry: { attempts: 2, baseDelayMs: 1, maxDelayMs: 1 },
        results: { thresholdTokens: 50 },
      },
      { native: [FAILS, ANSWERS] },
    );
    vi.unstubAllEnvs();

    for (let round = 0; round < 3; round++) {
      for (const name of ['read', 'write', 'refuse', 'crash', 'lie', 'sleep']) {
        const headers = {
          authorization: `Bearer ${canary()}`,
          'idempotency-key': canary(),
          'toolgate-session': canary(),
          ...(name === 'sleep' && { 'toolgate-timeout-ms': '100' }),
        };
        const args = { text: `${canary()} ${'and more of it '.repeat(50)}` };
        upstream.busyFor = 1;
        await observed.execute({ tool_id: `/shop/${name}`, args }, headers);
        await observed.execute({ tool_id: `/shop/${name}`, args }, headers);
        await observed.execute({ tool_id: `/shop/${name}`, args: { [canary()]: canary() } }, headers);
        await observed.execute({ tool_id: `/shop/${name}`, args, idempotency_key: canary(), dry_run: true });
      }
      await observed.execute({
        tool_id: '/here/fails',
        args: { deep: [{ down: canary() }], code: canary() },
      });
      await observed.execute({ tool_id: '/here/answers', args: { [canary()]: canary() } });
    }
    observed.gateway.receipts.append = async () => {
      throw new Error(`cannot store ${canary()}`);
    };
    await observed.execute({ tool_id: '/shop/read', args: { text: canary() } });
    const scrape = await (await fetch((await observed.gateway.serveMetrics())!)).text();
    await observed.close();

    // The canaries were used, and the searched texts are not empty.
    expect(canaries.length).toBeGreaterThan(100);
    expect(upstream.calls.length).toBeGreaterThan(10);
    expect(collector.spans.length).toBeGreaterThan(200);
    expect(observed.lines.filter((line) => line.includes('"err"')).length).toBeGreaterThan(3);
    expect(collector.received[0]!.headers['x-collector-key']).toBe(canaries[0]);
    const everything = [collector.payloads, scrape, ...observed.lines].join('\n');
    expect(canaries.filter((text) => everything.includes(text))).toEqual([]);
    expect(everything).not.toContain('canary-');
  });
});
