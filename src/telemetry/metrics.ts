import type { Attributes, Meter } from '@opentelemetry/api';
import type { ToolContract } from '../contract/tool/tool.ts';
import { brokenSchema, ranOutOfTime, toolReportedError } from './classify-outcome.ts';
import type { CompletedCall } from './completed-call.ts';
import { RollingRate } from './rolling-rate.ts';

/** How a tool is told from others in a metric. */
interface ToolLabels {
  readonly toolId: string;
  readonly version: string;
  readonly mutationClass: string;
  readonly timeoutClass: string;
}

/** What a caller asked for and nobody knows has one name, whatever the caller called it. */
const UNKNOWN: ToolLabels = labels('unknown', 'unknown', 'unknown');
/** Upstreams name their tools, so their number is theirs too: those beyond a bound share one name. */
const OTHER: ToolLabels = labels('other', 'other', 'other');
export const MAX_TOOLS_TOLD_APART = 1_000;

/** From what is instant to the longest that a call may take: the ends of the timeout classes are among them. */
const LATENCY_BOUNDS_MS = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
];

/** Counts what became of calls, under the names and labels of the specification. */
export function measureCalls(meter: Meter, now: () => number = Date.now): (call: CompletedCall) => void {
  const labelsOf = boundedLabels();
  const count = meter.createCounter('tool.invocation.count', { description: 'Calls that ended' });
  const latency = meter.createHistogram('tool.invocation.latency_ms', {
    description: 'How long calls took',
    unit: 'ms',
    advice: { explicitBucketBoundaries: LATENCY_BOUNDS_MS },
  });
  const cost = meter.createCounter('tool.invocation.cost', { description: 'What tools say that calls cost' });
  const retries = meter.createCounter('tool.invocation.retries', {
    description: 'Attempts after the first one',
  });
  const timeouts = share(meter, now, {
    name: 'tool.invocation.timeout_rate',
    description: 'Share of recent calls that ran out of time',
  });
  const replays = share(meter, now, {
    name: 'tool.idempotency.replay_rate',
    description: 'Share of recent calls that an earlier result answered',
  });
  const violations = share(meter, now, {
    name: 'tool.schema.validation_failure_rate',
    description: 'Share of recent checks that found what a schema rules out',
  });

  return (call) => {
    const { receipt, contract } = call;
    const { toolId, version, mutationClass, timeoutClass } = labelsOf(contract);
    const status = receipt.status === 'failed' ? 'error' : receipt.status;
    count.add(1, { toolId, version, status, mutationClass });
    for (const { phase, failed } of checksOf(call)) violations.count(failed, { toolId, phase });
    if (status === 'dry_run') return;
    latency.record(receipt.durationMs, { toolId, version, timeoutClass });
    timeouts.count(ranOutOfTime(call), { toolId, version, timeoutClass });
    replays.count(receipt.source === 'replay', { toolId });
    const repeats = call.incidents.filter(({ event }) => event.type === 'retried').length;
    if (repeats > 0) retries.add(repeats, { toolId, version });
    if (!contract || receipt.source !== 'compute') return;
    const { perCall, tokens } = contract.cost;
    if (perCall !== undefined) cost.add(perCall, { toolId, version, costCategory: 'call' });
    if (tokens !== undefined) cost.add(tokens, { toolId, version, costCategory: 'tokens' });
  };
}

function labels(toolId: string, version: string, classes: string): ToolLabels {
  return { toolId, version, mutationClass: classes, timeoutClass: classes };
}

/** Only tools of the catalog have a name here, and only so many of them; a tool in another shape is the same one. */
function boundedLabels(): (contract: ToolContract | undefined) => ToolLabels {
  const known = new WeakMap<ToolContract, ToolLabels>();
  const toldApart = new Set<string>();
  return (contract) => {
    if (!contract) return UNKNOWN;
    const before = known.get(contract);
    if (before) return before;
    const { namespace, name, version = 'none', mutation, timeoutClass } = contract;
    const toolId = `${namespace}:${name}`;
    const told = `${toolId}@${version}`;
    if (toldApart.size < MAX_TOOLS_TOLD_APART) toldApart.add(told);
    const mine = toldApart.has(told) ? { toolId, version, mutationClass: mutation, timeoutClass } : OTHER;
    known.set(contract, mine);
    return mine;
  };
}

/** The checks against a schema that a call came to. */
function checksOf(call: CompletedCall): { readonly phase: 'input' | 'output'; readonly failed: boolean }[] {
  const broken = brokenSchema(call);
  const came = (phase: string): boolean => call.steps.some((step) => step.phase === phase);
  return [
    ...(came('validate') ? [{ phase: 'input', failed: broken === 'input' } as const] : []),
    ...(came('verify') && call.contract?.outputSchema && !toolReportedError(call)
      ? [{ phase: 'output', failed: broken === 'output' } as const]
      : []),
  ];
}

interface Share {
  count(isHit: boolean, attributes: Attributes): void;
}

/** A gauge that is looked at when somebody asks, and is silent of tools that nobody calls. */
function share(
  meter: Meter,
  now: () => number,
  { name, description }: { readonly name: string; readonly description: string },
): Share {
  const shares = new Map<string, { readonly attributes: Attributes; readonly recent: RollingRate }>();
  meter.createObservableGauge(name, { description }).addCallback((result) => {
    for (const [key, { attributes, recent }] of shares) {
      const value = recent.at(now());
      if (value === undefined) shares.delete(key);
      else result.observe(value, attributes);
    }
  });
  return {
    count(isHit, attributes) {
      const key = Object.values(attributes).join('\n');
      const known = shares.get(key) ?? { attributes, recent: new RollingRate() };
      shares.set(key, known);
      known.recent.count(isHit, now());
    },
  };
}
