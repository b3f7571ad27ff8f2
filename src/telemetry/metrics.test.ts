import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import {
  admissionOf,
  contractOf,
  ECHO,
  recordingDeps,
  type SendParts,
  send,
} from '../../test/recording-deps.ts';
import { Fault } from '../contract/errors/fault.ts';
import type { ToolDescriptor } from '../contract/tool/descriptor.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { type CompletedCall, observeCalls } from './completed-call.ts';
import { MAX_LABELLED_TOOLS, measureCalls } from './metrics.ts';

/** Measures the calls and returns the data points of one metric. */
async function pointsOf(
  name: string,
  calls: readonly CompletedCall[],
  now?: () => number,
): Promise<DataPoint<unknown>[]> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter });
  const meters = new MeterProvider({
    readers: [reader],
    views: [{ instrumentName: '*', aggregationCardinalityLimit: 10_000 }],
  });
  const measure = measureCalls(meters.getMeter('test'), now);
  for (const call of calls) measure(call);
  await meters.forceFlush();
  const metrics = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  await meters.shutdown();
  return metrics
    .filter(({ descriptor }) => descriptor.name === name)
    .flatMap(({ dataPoints }): DataPoint<unknown>[] => dataPoints);
}

async function completeCall(
  options: Parameters<typeof recordingDeps>[0] = {},
  more: SendParts = {},
): Promise<CompletedCall> {
  const { deps } = recordingDeps(options);
  const calls: CompletedCall[] = [];
  deps.events.subscribe(observeCalls((call) => calls.push(call)));
  await send(deps, more);
  expect(calls).toHaveLength(1);
  return calls[0]!;
}

function admittedContract(descriptor: ToolDescriptor): ToolContract {
  return admissionOf([descriptor]).contracts[0]!;
}

describe('metric labels', () => {
  it('stay the same for a tool whose schema changes any number of times', async () => {
    const call = await completeCall();
    const { version: _, ...unversioned } = ECHO;
    const versions = Array.from({ length: MAX_LABELLED_TOOLS + 50 }, (_, i) => ({
      ...call,
      contract: admittedContract({
        ...unversioned,
        inputSchema: { type: 'object', properties: { [`p${i}`]: {} } },
      }),
    }));
    expect(new Set(versions.map(({ contract }) => contract.id)).size).toBe(versions.length);
    const others = [{ ...call, contract: contractOf({ name: 'another' }) }];
    const points = await pointsOf('tool.invocation.count', [...versions, ...others]);
    expect(points.map(({ attributes, value }) => [attributes.toolId, value])).toEqual([
      ['shop:echo', versions.length],
      ['shop:another', 1],
    ]);
  });

  it('are other for tools beyond the maximum', async () => {
    const call = await completeCall();
    const calls = Array.from({ length: MAX_LABELLED_TOOLS + 50 }, (_, i) => ({
      ...call,
      contract: contractOf({ name: `tool-${i}` }),
    }));
    const points = await pointsOf('tool.invocation.count', [...calls, ...calls]);
    expect(points).toHaveLength(MAX_LABELLED_TOOLS + 1);
    const other = points.filter(({ attributes }) => attributes.toolId === 'other');
    expect(other).toMatchObject([{ value: 100, attributes: { version: 'other', mutationClass: 'other' } }]);
  });

  it('stay the same when a catalog refresh makes a new contract of the same tool', async () => {
    const call = await completeCall();
    const calls = [call, { ...call, contract: contractOf({}) }, { ...call, contract: contractOf({}) }];
    expect(await pointsOf('tool.invocation.count', calls)).toMatchObject([{ value: 3 }]);
  });

  it('are unknown for a tool that the caller may not see', async () => {
    const call = await completeCall({ visibility: 'internal' });
    expect(await pointsOf('tool.invocation.count', [call])).toMatchObject([
      { value: 1, attributes: { toolId: 'unknown', status: 'error' } },
    ]);
  });
});

describe('tool.invocation.timeout_rate', () => {
  const failing = (fault: Fault) => ({
    answer: async (): Promise<never> => {
      throw fault;
    },
  });

  it('counts timeouts and not cancelled calls', async () => {
    const late = await completeCall(failing(new Fault('DEADLINE_EXCEEDED', 'late')));
    const gone = await completeCall(failing(new Fault('CANCELLED', 'gone')));
    const points = await pointsOf('tool.invocation.timeout_rate', [late, gone]);
    expect(points).toMatchObject([{ value: 1 / 2 }]);
  });

  it('has no value for a tool without recent calls', async () => {
    const call = await completeCall();
    let reads = 0;
    // The call reads the clock once for each of the three rates; the reader reads it an hour later.
    const now = (): number => (reads++ < 3 ? 0 : 3_600_000);
    expect(await pointsOf('tool.invocation.timeout_rate', [call], now)).toEqual([]);
  });
});

describe('tool.schema.validation_failure_rate', () => {
  it.each([
    ['arguments that the schema rejects', {}, { args: {} }, 1],
    ['arguments that the schema accepts', {}, {}, 0],
    [
      'a missing idempotency key, which is not checked by the schema',
      {
        tools: [{ ...ECHO, declared: { idempotency: { key: 'required' as const, windowMs: 1_000 } } }],
      },
      {},
      0,
    ],
  ])('counts %s', async (_, options, more, rate) => {
    const call = await completeCall(options, more);
    const points = await pointsOf('tool.schema.validation_failure_rate', [call]);
    expect(points).toMatchObject([{ value: rate, attributes: { phase: 'input' } }]);
  });
});
