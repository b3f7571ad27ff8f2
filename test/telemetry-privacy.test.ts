import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { heardGateway, startedCollector, startedUpstream } from './telemetry-parts.ts';

const canaries: string[] = [];

/** Something that is said once and must not be heard again. */
function canary(): string {
  const word = `canary-${randomUUID()}`;
  canaries.push(word);
  return word;
}

const FAILS: NativeTool = {
  name: 'fails',
  description: 'Quotes what it was given when it fails.',
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
  description: 'Answers with what nobody asked for.',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { secret: { type: 'integer' } } },
  run: () => ({ secret: canary() }),
};

describe('what was said in calls', () => {
  it('is in no payload, in no scrape and in no line of the log', async () => {
    vi.stubEnv('COLLECTOR_KEY', canary());
    const [collector, upstream] = await Promise.all([startedCollector(), startedUpstream()]);
    const heard = await heardGateway(
      {
        telemetry: {
          otlp: collector.url,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference looks like a placeholder and is none
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
        await heard.execute({ tool_id: `/shop/${name}`, args }, headers);
        await heard.execute({ tool_id: `/shop/${name}`, args }, headers);
        await heard.execute({ tool_id: `/shop/${name}`, args: { [canary()]: canary() } }, headers);
        await heard.execute({ tool_id: `/shop/${name}`, args, idempotency_key: canary(), dry_run: true });
      }
      await heard.execute({ tool_id: '/here/fails', args: { deep: [{ down: canary() }], code: canary() } });
      await heard.execute({ tool_id: '/here/answers', args: { [canary()]: canary() } });
    }
    heard.gateway.receipts.append = async () => {
      throw new Error(`no room for ${canary()}`);
    };
    await heard.execute({ tool_id: '/shop/read', args: { text: canary() } });
    const scrape = await (await fetch((await heard.gateway.serveMetrics())!)).text();
    await heard.close();

    // They were said, and what is looked through is not empty.
    expect(canaries.length).toBeGreaterThan(100);
    expect(upstream.calls.length).toBeGreaterThan(10);
    expect(collector.spans.length).toBeGreaterThan(200);
    expect(heard.lines.filter((line) => line.includes('"err"')).length).toBeGreaterThan(3);
    expect(collector.received[0]!.headers['x-collector-key']).toBe(canaries[0]);
    const everything = [collector.payloads, scrape, ...heard.lines].join('\n');
    expect(canaries.filter((word) => everything.includes(word))).toEqual([]);
    expect(everything).not.toContain('canary-');
  });
});
