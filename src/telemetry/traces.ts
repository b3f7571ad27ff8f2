import { PHASES, type Phase } from '../contract/call/phase.ts';
import { isSampled } from '../contract/call/trace.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { toolReportedError } from './classify-outcome.ts';
import type { CompletedCall, Incident, PhaseEvent } from './completed-call.ts';
import {
  type KeyValue,
  SPAN_KIND,
  type Span,
  type SpanBody,
  type SpanEvent,
  STATUS_ERROR,
  STATUS_UNSET,
  spanFlags,
  toKeyValues,
  toUnixNano,
} from './otlp-json.ts';

/**
 * The span of a call and one span for each of its phases; none where the trace is not sampled. They never contain an
 * argument, a result, an idempotency key, a credential, an error message or a caller. No tracer creates them: the call is
 * over, and its span ids were sent to the upstream before.
 */
export function spansOf(call: CompletedCall): Span[] {
  if (!isSampled(call.trace)) return [];
  const spans = [callSpan(call)];
  for (const event of call.phases) spans.push(phaseSpan(call, event));
  return spans;
}

function callSpan(call: CompletedCall): Span {
  const { traceId, parentId, flags, state, isNew = false } = call.trace;
  const events = call.incidents.flatMap(incidentEvents);
  return {
    traceId,
    spanId: call.spanId,
    // The parent id of a new trace belongs to no span.
    parentSpanId: isNew ? undefined : parentId,
    traceState: state,
    flags: spanFlags(flags, !isNew),
    startTimeUnixNano: toUnixNano(call.startedAt),
    endTimeUnixNano: toUnixNano(call.endedAt),
    name: 'tool.invoke',
    kind: SPAN_KIND.server,
    attributes: callAttributes(call),
    events: events.length > 0 ? events : undefined,
    status: call.receipt.status === 'failed' ? STATUS_ERROR : STATUS_UNSET,
  };
}

function phaseSpan(call: CompletedCall, event: PhaseEvent): Span {
  const { traceId, flags, state } = call.trace;
  const { name, kind, attributes, events, status } = phaseBody(call, event);
  return {
    traceId,
    spanId: event.spanId,
    parentSpanId: call.spanId,
    traceState: state,
    flags: spanFlags(flags, false),
    startTimeUnixNano: toUnixNano(event.startedAt),
    endTimeUnixNano: toUnixNano(event.startedAt + event.durationMs),
    name,
    kind,
    attributes,
    events,
    status,
  };
}

/** Shared by all phases that passed without an event, which are nearly all phases. */
const PASSED = Object.fromEntries(PHASES.map((phase) => [phase, makeBody({ phase, calledUpstream: false })]));
const PASSED_UPSTREAM = makeBody({ phase: 'execute', calledUpstream: true });

function phaseBody({ receipt, incidents }: CompletedCall, { phase, passed }: PhaseEvent): SpanBody {
  const calledUpstream = phase === 'execute' && receipt.attempts > 0;
  const hasFailed = !passed && receipt.status === 'failed';
  const events = phase === 'execute' && incidents.length > 0 ? incidents.flatMap(retryEvents) : [];
  if (hasFailed) return makeBody({ phase, calledUpstream, events, errorCode: receipt.errorCode! });
  if (events.length > 0) return makeBody({ phase, calledUpstream, events });
  return calledUpstream ? PASSED_UPSTREAM : PASSED[phase]!;
}

interface PhaseBodyOptions {
  readonly phase: Phase;
  readonly calledUpstream: boolean;
  readonly events?: readonly SpanEvent[];
  /** Set where the phase failed. */
  readonly errorCode?: string;
}

function makeBody({ phase, calledUpstream, events = [], errorCode }: PhaseBodyOptions): SpanBody {
  return {
    name: `tool.${phase}`,
    kind: calledUpstream ? SPAN_KIND.client : SPAN_KIND.internal,
    attributes: toKeyValues({ 'toolgate.phase': phase, 'error.type': errorCode }),
    events: events.length > 0 ? events : undefined,
    status: errorCode === undefined ? STATUS_UNSET : STATUS_ERROR,
  };
}

function retryEvents({ at, event }: Incident): SpanEvent[] {
  if (event.type !== 'retried') return [];
  const attributes = toKeyValues({ 'toolgate.attempt': event.attempt, 'error.type': event.code });
  return [{ timeUnixNano: toUnixNano(at), name: 'toolgate.retry', attributes }];
}

/** Only the gateway's own text is exported: a cause may quote arguments and results. */
function incidentEvents({ at, event }: Incident): SpanEvent[] {
  if (event.type === 'retried') return [];
  const name = `toolgate.${event.type}`;
  const attributes = toKeyValues({ [`${name}.what`]: event.what });
  return [{ timeUnixNano: toUnixNano(at), name, attributes }];
}

/** Surfaces whose calls are `tools/call` of MCP. */
const MCP_SURFACES = new Set(['gateway', 'proxy', 'operations', 'native']);

function callAttributes(call: CompletedCall): KeyValue[] {
  const { contract, receipt } = call;
  const { callId, surface, status, errorCode, phase, source, attempts } = receipt;
  const attributes = toKeyValues({
    'gen_ai.operation.name': 'execute_tool',
    'mcp.method.name': MCP_SURFACES.has(surface) ? 'tools/call' : undefined,
    'toolgate.call.id': callId,
    'toolgate.surface': surface,
    'toolgate.status': status,
    'toolgate.phase': phase,
    'toolgate.attempts': attempts,
    'toolgate.source': source ?? undefined,
    'toolgate.idempotency.replay': call.hasKey ? source === 'replay' : undefined,
    // `tool_error` is the value that the semantic conventions for MCP give to a result with `isError`.
    'error.type': toolReportedError(call) ? 'tool_error' : (errorCode ?? undefined),
    'toolgate.error.code': errorCode ?? undefined,
  });
  if (contract) attributes.push(...toolAttributes(contract));
  return attributes;
}

/** Labels of the operator. Only plain values are exported. */
function labelAttributes(labels: ToolContract['labels']): Record<string, string | number | boolean> {
  const attributes: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(labels))
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value))
      attributes[`toolgate.label.${name}`] = value as string | number | boolean;
  return attributes;
}

const attributesByTool = new WeakMap<ToolContract, readonly KeyValue[]>();

/** Built once for each contract: they are the same in every call. */
function toolAttributes(contract: ToolContract): readonly KeyValue[] {
  const cached = attributesByTool.get(contract);
  if (cached) return cached;
  const { namespace, name, id, mutation, timeoutClass, labels } = contract;
  const attributes = toKeyValues({
    ...labelAttributes(labels),
    'gen_ai.tool.name': `${namespace}:${name}`,
    'toolgate.tool.id': id,
    'toolgate.tool.mutation': mutation,
    'toolgate.tool.timeout_class': timeoutClass,
  });
  attributesByTool.set(contract, attributes);
  return attributes;
}
