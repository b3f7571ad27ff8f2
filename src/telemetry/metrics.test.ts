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
import { MAX_TOOLS_TOLD_APART, measureCalls } from './metrics.ts';

/** The points of one metric after some calls were measured. */
async function measured(
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

async function watched(
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

function shapeOf(descriptor: ToolDescriptor): ToolContract {
  return admissionOf([descriptor]).contracts[0]!;
}

describe('the labels of metrics', () => {
  it('are the same for one tool, whatever number of shapes it has had', async () => {
    const call = await watched();
    const { version: _, ...unversioned } = ECHO;
    const shapes = Array.from({ length: MAX_TOOLS_TOLD_APART + 50 }, (_, i) => ({
      ...call,
      contract: shapeOf({ ...unversioned, inputSchema: { type: 'object', properties: { [`p${i}`]: {} } } }),
    }));
    expect(new Set(shapes.map(({ contract }) => contract.id)).size).toBe(shapes.length);
    const others = [{ ...call, contract: contractOf({ name: 'another' }) }];
    const points = await measured('tool.invocation.count', [...shapes, ...others]);
    expect(points.map(({ attributes, value }) => [attributes.toolId, value])).toEqual([
      ['shop:echo', shapes.length],
      ['shop:another', 1],
    ]);
  });

  it('tell so many tools apart and no more', async () => {
    const call = await watched();
    const calls = Array.from({ length: MAX_TOOLS_TOLD_APART + 50 }, (_, i) => ({
      ...call,
      contract: contractOf({ name: `tool-${i}` }),
    }));
    const points = await measured('tool.invocation.count', [...calls, ...calls]);
    expect(points).toHaveLength(MAX_TOOLS_TOLD_APART + 1);
    const other = points.filter(({ attributes }) => attributes.toolId === 'other');
    expect(other).toMatchObject([{ value: 100, attributes: { version: 'other', mutationClass: 'other' } }]);
  });

  it('stay the same over a refresh of the catalog that changes nothing', async () => {
    const call = await watched();
    const calls = [call, { ...call, contract: contractOf({}) }, { ...call, contract: contractOf({}) }];
    expect(await measured('tool.invocation.count', calls)).toMatchObject([{ value: 3 }]);
  });

  it('know nothing of a tool that the caller may not see', async () => {
    const call = await watched({ visibility: 'internal' });
    expect(await measured('tool.invocation.count', [call])).toMatchObject([
      { value: 1, attributes: { toolId: 'unknown', status: 'error' } },
    ]);
  });
});

describe('the rate of timeouts', () => {
  const failing = (fault: Fault) => ({
    answer: async (): Promise<never> => {
      throw fault;
    },
  });

  it('counts who ran out of time and not who went away', async () => {
    const late = await watched(failing(new Fault('DEADLINE_EXCEEDED', 'late')));
    const gone = await watched(failing(new Fault('DEADLINE_EXCEEDED', 'gone', { variant: 'cancelled' })));
    const points = await measured('tool.invocation.timeout_rate', [late, gone]);
    expect(points).toMatchObject([{ value: 1 / 2 }]);
  });

  it('is silent of a tool that nobody called for a while', async () => {
    const call = await watched();
    let looks = 0;
    // One look for each of the three rates that it counts for, and those of the reader an hour later.
    const now = (): number => (looks++ < 3 ? 0 : 3_600_000);
    expect(await measured('tool.invocation.timeout_rate', [call], now)).toEqual([]);
  });
});

describe('the rate of validation failures', () => {
  it.each([
    ['arguments that the schema rules out', {}, { args: {} }, 1],
    ['arguments that it allows', {}, {}, 0],
    [
      'a missing key, which is no matter of the schema',
      {
        tools: [{ ...ECHO, declared: { idempotency: { key: 'required' as const, windowMs: 1_000 } } }],
      },
      {},
      0,
    ],
  ])('of %s', async (_, options, more, rate) => {
    const call = await watched(options, more);
    const points = await measured('tool.schema.validation_failure_rate', [call]);
    expect(points).toMatchObject([{ value: rate, attributes: { phase: 'input' } }]);
  });
});
