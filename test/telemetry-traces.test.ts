import { describe, expect, it } from 'vitest';
import { PHASES } from '../src/contract/call/phase.ts';
import type { NativeContext, NativeTool } from '../src/upstreams/native/upstream.ts';
import {
  attributesOf,
  type Collector,
  KIND,
  type ObservedGateway,
  type OtlpSpan,
  openObservedGateway,
  STATUS,
  startCollector,
  startTestUpstream,
  type TestUpstream,
} from './telemetry-fixtures.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const SAMPLED = { traceparent: `00-${TRACE}-${CALLER}-01` };

interface Setup {
  readonly collector: Collector;
  readonly upstream: TestUpstream;
  readonly observed: ObservedGateway;
}

async function setUp(settings: Readonly<Record<string, unknown>> = {}): Promise<Setup> {
  const [collector, upstream] = await Promise.all([startCollector(), startTestUpstream()]);
  const observed = await openObservedGateway({
    telemetry: { otlp: collector.url, serviceName: 'gate' },
    upstreams: { shop: { url: upstream.url } },
    ...settings,
  });
  return { collector, upstream, observed };
}

/** The span of the only call, and its phase spans in the order of their start. */
function spansOfCall({ spans }: Collector): {
  readonly call: OtlpSpan;
  readonly phases: readonly OtlpSpan[];
} {
  const calls = spans.filter(({ name }) => name === 'tool.invoke');
  expect(calls).toHaveLength(1);
  const [call] = calls;
  const phases = spans
    .filter((span) => span !== call)
    .toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
  expect(new Set(phases.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([call!.spanId]));
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  return { call: call!, phases };
}

const namesOf = (spans: readonly OtlpSpan[]): string[] => spans.map(({ name }) => name);

describe('the trace of a call', () => {
  it('links caller and upstream, with one span for each of the six phases', async () => {
    const { collector, upstream, observed } = await setUp();
    expect(await observed.execute({ tool_id: '/shop/read', args: { text: 'hi' } }, SAMPLED)).toEqual({
      text: 'you said hi',
      isError: false,
    });
    await observed.close();

    const { call, phases } = spansOfCall(collector);
    expect(namesOf(phases)).toEqual(PHASES.map((phase) => `tool.${phase}`));
    expect(call).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, kind: KIND.server });
    expect(call.status).toEqual({ code: STATUS.unset });
    const execute = phases[PHASES.indexOf('execute')]!;
    expect(upstream.calls).toEqual([{ tool: 'read', traceparent: `00-${TRACE}-${execute.spanId}-01` }]);
    expect(phases.map(({ kind }) => kind === KIND.client)).toEqual(
      PHASES.map((phase) => phase === 'execute'),
    );

    const times = phases.flatMap((span) => [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)]);
    const inOrder = [BigInt(call.startTimeUnixNano), ...times, BigInt(call.endTimeUnixNano)];
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => Number(a - b)));
  });

  it('has the documented attributes', async () => {
    const { collector, observed } = await setUp();
    await observed.execute({ tool_id: '/shop/read', args: { text: 'hi' }, idempotency_key: 'k' }, SAMPLED);
    await observed.close();
    const { call, phases } = spansOfCall(collector);
    expect(attributesOf(call)).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'shop:read',
      'toolgate.call.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'toolgate.tool.id': expect.stringMatching(/^shop:read#[0-9a-f]{8}$/),
      'toolgate.tool.mutation': 'read_only',
      'toolgate.tool.timeout_class': 'long_running',
      'toolgate.surface': 'gateway',
      'toolgate.status': 'ok',
      'toolgate.phase': 'return',
      'toolgate.source': 'compute',
      'toolgate.attempts': 1,
      'toolgate.idempotency.replay': false,
    });
    expect(phases.map(attributesOf)).toEqual(PHASES.map((phase) => ({ 'toolgate.phase': phase })));
    expect(collector.resource).toMatchObject({
      'service.name': 'gate',
      'service.version': expect.any(String),
      'service.instance.id': expect.any(String),
    });
  });

  it('starts a new trace where the caller sent none', async () => {
    const { collector, upstream, observed } = await setUp();
    await observed.execute({ tool_id: '/shop/read', args: { text: 'hi' } });
    await observed.close();
    const { call, phases } = spansOfCall(collector);
    expect(call.parentSpanId).toBeUndefined();
    const execute = phases[PHASES.indexOf('execute')]!;
    expect(upstream.calls[0]!.traceparent).toBe(`00-${call.traceId}-${execute.spanId}-01`);
  });

  it('has no spans where the caller did not sample, and the upstream gets the same flag', async () => {
    const { collector, upstream, observed } = await setUp();
    const unsampled = { traceparent: `00-${TRACE}-${CALLER}-00` };
    await observed.execute({ tool_id: '/shop/read', args: { text: 'hi' } }, unsampled);
    await observed.close();
    expect(collector.spans).toEqual([]);
    expect(upstream.calls[0]!.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });

  it('passes trace state and flags to the collector and to the upstream, in _meta and in headers', async () => {
    const { collector, upstream, observed } = await setUp();
    const tracestate = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';
    const sent = { traceparent: `00-${TRACE}-${CALLER}-03`, tracestate };
    await observed.execute({ tool_id: '/shop/read', args: { text: 'hi' } }, sent);
    await observed.close();
    const { phases } = spansOfCall(collector);
    expect(collector.spans.map(({ traceState }) => traceState)).toEqual(
      collector.spans.map(() => tracestate),
    );
    const { spanId } = phases[PHASES.indexOf('execute')]!;
    const passedOn = { traceparent: `00-${TRACE}-${spanId}-03`, tracestate };
    expect(upstream.calls).toEqual([{ tool: 'read', ...passedOn }]);
    expect(upstream.headers).toEqual([passedOn]);
  });

  it('is passed to native tools, with the idempotency key of the call', async () => {
    const contexts: NativeContext[] = [];
    const native: NativeTool = {
      name: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object' },
      run: (_, context) => {
        contexts.push(context);
        return {};
      },
    };
    const observed = await openObservedGateway({}, { native: [native] });
    const sent = { ...SAMPLED, tracestate: 'rojo=1' };
    await observed.execute({ tool_id: '/here/look', args: {}, idempotency_key: 'k' }, sent);
    await observed.execute({ tool_id: '/here/look', args: {} }, sent);
    expect(contexts.map(({ trace, idempotencyKey }) => ({ trace, idempotencyKey }))).toEqual([
      { trace: sent, idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { trace: sent, idempotencyKey: undefined },
    ]);
  });

  it('keeps the traceparent of the caller where telemetry makes no spans', async () => {
    const upstream = await startTestUpstream();
    const observed = await openObservedGateway({ upstreams: { shop: { url: upstream.url } } });
    await observed.execute({ tool_id: '/shop/read', args: { text: 'hi' } }, SAMPLED);
    expect(upstream.calls).toEqual([{ tool: 'read', ...SAMPLED }]);
  });
});

describe('the trace of a call that is not a plain success', () => {
  it.each([
    ['/shop/read', {}, ['request', 'validate'], 'INVALID_INPUT', 'INVALID_INPUT'],
    ['/shop/nothing', {}, ['request'], 'TOOL_NOT_FOUND', 'TOOL_NOT_FOUND'],
    [
      '/shop/crash',
      { text: 'x' },
      ['request', 'validate', 'authorize', 'execute'],
      'UPSTREAM_FAILURE',
      'UPSTREAM_FAILURE',
    ],
    ['/shop/lie', { text: 'x' }, PHASES.slice(0, 5), 'INTERNAL_TOOL_ERROR', 'INTERNAL_TOOL_ERROR'],
    ['/shop/refuse', { text: 'x' }, PHASES, 'tool_error', 'UPSTREAM_FAILURE'],
  ])('%s(%o) has a span for each phase that it reached: %s', async (tool, args, phases, type, code) => {
    const { collector, observed } = await setUp();
    expect(await observed.execute({ tool_id: tool, args }, SAMPLED)).toMatchObject({ isError: true });
    await observed.close();
    const { call, phases: spans } = spansOfCall(collector);
    expect(namesOf(spans)).toEqual(phases.map((phase) => `tool.${phase}`));
    expect(call.status).toEqual({ code: STATUS.error });
    expect(attributesOf(call)).toMatchObject({
      'error.type': type,
      'toolgate.error.code': code,
      'toolgate.phase': phases.at(-1),
    });
    // A tool that reports an error passed every phase.
    const failed = type === 'tool_error' ? [] : [spans.at(-1)];
    expect(spans.filter(({ status }) => status.code === STATUS.error)).toEqual(failed);
    for (const span of failed) expect(attributesOf(span!)).toMatchObject({ 'error.type': code });
  });

  it('does not contain the name of an unknown tool', async () => {
    const { collector, observed } = await setUp();
    await observed.execute({ tool_id: '/shop/made-up-canary', args: {} }, SAMPLED);
    await observed.close();
    const { call } = spansOfCall(collector);
    expect(Object.keys(attributesOf(call))).not.toContain('gen_ai.tool.name');
    expect(collector.payloads).not.toContain('made-up-canary');
  });

  it('has no error status for a dry run', async () => {
    const { collector, observed } = await setUp();
    await observed.execute({ tool_id: '/shop/write', args: { text: 'x' }, dry_run: true }, SAMPLED);
    await observed.close();
    const { call, phases } = spansOfCall(collector);
    expect(namesOf(phases)).toEqual(['tool.request', 'tool.validate', 'tool.authorize']);
    expect([call, ...phases].map(({ status }) => status.code)).toEqual([0, 0, 0, 0]);
    expect(attributesOf(call)).toMatchObject({ 'toolgate.status': 'dry_run', 'toolgate.attempts': 0 });
  });

  it('has an event for every retry on the one execute span that all attempts share', async () => {
    const { collector, upstream, observed } = await setUp({
      retry: { attempts: 3, baseDelayMs: 1, maxDelayMs: 1 },
    });
    upstream.busyFor = 2;
    await observed.execute({ tool_id: '/shop/read', args: { text: 'x' } }, SAMPLED);
    await observed.close();
    const { call, phases } = spansOfCall(collector);
    const execute = phases[PHASES.indexOf('execute')]!;
    expect(attributesOf(call)).toMatchObject({ 'toolgate.attempts': 3, 'toolgate.status': 'ok' });
    expect(execute.events.map((event) => [event.name, attributesOf(event)])).toEqual([
      ['toolgate.retry', { 'toolgate.attempt': 2, 'error.type': 'RATE_LIMITED' }],
      ['toolgate.retry', { 'toolgate.attempt': 3, 'error.type': 'RATE_LIMITED' }],
    ]);
    expect(upstream.calls).toEqual([{ tool: 'read', traceparent: `00-${TRACE}-${execute.spanId}-01` }]);
  });

  it('has an event for trouble beside the call, without the text of its cause', async () => {
    const { collector, observed } = await setUp();
    const { receipts } = observed.gateway;
    receipts.append = async () => {
      throw new Error('canary: the disk is full');
    };
    await observed.execute({ tool_id: '/shop/read', args: { text: 'x' } }, SAMPLED);
    await observed.close();
    const { call } = spansOfCall(collector);
    expect(call.events.map((event) => [event.name, attributesOf(event)])).toEqual([
      ['toolgate.trouble', { 'toolgate.trouble.what': 'receipt not stored' }],
    ]);
    expect(collector.payloads).not.toContain('canary');
  });

  it('marks a replayed result', async () => {
    const { collector, upstream, observed } = await setUp();
    const write = { tool_id: '/shop/write', args: { text: 'x' }, idempotency_key: 'k1' };
    await observed.execute(write, SAMPLED);
    await observed.execute(write, { traceparent: `00-${TRACE.replace('0', '1')}-${CALLER}-01` });
    await observed.close();
    const again = collector.spans.filter(({ traceId }) => traceId !== TRACE);
    const call = again.find(({ name }) => name === 'tool.invoke')!;
    expect(attributesOf(call)).toMatchObject({
      'toolgate.source': 'replay',
      'toolgate.idempotency.replay': true,
      'toolgate.attempts': 0,
    });
    expect(again.find(({ name }) => name === 'tool.execute')!.kind).toBe(KIND.internal);
    expect(upstream.calls).toHaveLength(1);
  });
});
