import type { Attributes, Meter } from '@opentelemetry/api';
import type { ToolContract } from '../contract/tool/tool.ts';
import { failedSchema, hasTimedOut, toolReportedError } from './classify-outcome.ts';
import type { CompletedCall } from './completed-call.ts';
import { RollingRate } from './rolling-rate.ts';

/** Labels that identify a tool in a metric. */
interface ToolLabels {
  readonly toolId: string;
  readonly version: string;
  readonly mutationClass: string;
  readonly timeoutClass: string;
}

/** For calls of a tool that the caller cannot see. One label for all of them: the name was chosen by the caller. */
const UNKNOWN: ToolLabels = labels('unknown', 'unknown', 'unknown');
/** For tools beyond the maximum: upstreams choose how many tools they have, and the number of labels must be bounded. */
const OTHER: ToolLabels = labels('other', 'other', 'other');
export const MAX_LABELLED_TOOLS = 1_000;

/** Includes the limits of the timeout classes and ends with the longest possible call. */
const LATENCY_BOUNDS_MS = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
];

/** Records completed calls, with the metric names and labels of the specification. */
export function measureCalls(meter: Meter, now: () => number = Date.now): (call: CompletedCall) => void {
  const labelsOf = boundedLabels();
  const count = meter.createCounter('tool.invocation.count', { description: 'Completed calls' });
  const latency = meter.createHistogram('tool.invocation.latency_ms', {
    description: 'Duration of calls',
    unit: 'ms',
    advice: { explicitBucketBoundaries: LATENCY_BOUNDS_MS },
  });
  const cost = meter.createCounter('tool.invocation.cost', {
    description: 'Cost of calls as their tools declare it',
  });
  const retries = meter.createCounter('tool.invocation.retries', {
    description: 'Attempts after the first',
  });
  const timeouts = rateGauge(meter, now, {
    name: 'tool.invocation.timeout_rate',
    description: 'Share of calls in the last 15 minutes that timed out',
  });
  const replays = rateGauge(meter, now, {
    name: 'tool.idempotency.replay_rate',
    description: 'Share of calls in the last 15 minutes that returned a stored result',
  });
  const validationFailures = rateGauge(meter, now, {
    name: 'tool.schema.validation_failure_rate',
    description: 'Share of schema validations in the last 15 minutes that failed',
  });

  return (call) => {
    const { receipt, contract } = call;
    const { toolId, version, mutationClass, timeoutClass } = labelsOf(contract);
    const status = receipt.status === 'failed' ? 'error' : receipt.status;
    count.add(1, { toolId, version, status, mutationClass });
    for (const { phase, failed } of validationsOf(call)) validationFailures.count(failed, { toolId, phase });
    if (status === 'dry_run') return;
    latency.record(receipt.durationMs, { toolId, version, timeoutClass });
    timeouts.count(hasTimedOut(call), { toolId, version, timeoutClass });
    replays.count(receipt.source === 'replay', { toolId });
    const retried = call.incidents.filter(({ event }) => event.type === 'retried').length;
    if (retried > 0) retries.add(retried, { toolId, version });
    if (!contract || receipt.source !== 'compute') return;
    const { perCall, tokens } = contract.cost;
    if (perCall !== undefined) cost.add(perCall, { toolId, version, costCategory: 'call' });
    if (tokens !== undefined) cost.add(tokens, { toolId, version, costCategory: 'tokens' });
  };
}

function labels(toolId: string, version: string, classes: string): ToolLabels {
  return { toolId, version, mutationClass: classes, timeoutClass: classes };
}

/** Labels only tools of the catalog, and only the first ones. A tool whose schema changes keeps its labels. */
function boundedLabels(): (contract: ToolContract | undefined) => ToolLabels {
  const cache = new WeakMap<ToolContract, ToolLabels>();
  const labelled = new Set<string>();
  return (contract) => {
    if (!contract) return UNKNOWN;
    const cached = cache.get(contract);
    if (cached) return cached;
    const { namespace, name, version = 'none', mutation, timeoutClass } = contract;
    const toolId = `${namespace}:${name}`;
    const key = `${toolId}@${version}`;
    if (labelled.size < MAX_LABELLED_TOOLS) labelled.add(key);
    const own = labelled.has(key) ? { toolId, version, mutationClass: mutation, timeoutClass } : OTHER;
    cache.set(contract, own);
    return own;
  };
}

interface Validation {
  readonly phase: 'input' | 'output';
  readonly failed: boolean;
}

/** The schema validations that a call went through. */
function validationsOf(call: CompletedCall): Validation[] {
  const broken = failedSchema(call);
  const reached = (phase: string): boolean => call.phases.some((event) => event.phase === phase);
  return [
    ...(reached('validate') ? [{ phase: 'input', failed: broken === 'input' } as const] : []),
    ...(reached('verify') && call.contract?.outputSchema && !toolReportedError(call)
      ? [{ phase: 'output', failed: broken === 'output' } as const]
      : []),
  ];
}

interface RateGauge {
  count(isHit: boolean, attributes: Attributes): void;
}

/** An observable gauge of rolling rates. A tool without recent calls has no value. */
function rateGauge(
  meter: Meter,
  now: () => number,
  { name, description }: { readonly name: string; readonly description: string },
): RateGauge {
  const rates = new Map<string, { readonly attributes: Attributes; readonly rate: RollingRate }>();
  meter.createObservableGauge(name, { description }).addCallback((result) => {
    for (const [key, { attributes, rate }] of rates) {
      const value = rate.valueAt(now());
      if (value === undefined) rates.delete(key);
      else result.observe(value, attributes);
    }
  });
  return {
    count(isHit, attributes) {
      const key = Object.values(attributes).join('\n');
      const entry = rates.get(key) ?? { attributes, rate: new RollingRate() };
      rates.set(key, entry);
      entry.rate.count(isHit, now());
    },
  };
}
