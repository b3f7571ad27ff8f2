import { PHASES, type Phase } from '../contract/call/phase.ts';
import { isSampled } from '../contract/call/trace.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { toolReportedError } from './classify-outcome.ts';
import type { CompletedCall, Incident, Step } from './completed-call.ts';
import {
  attributesJson,
  eventJson,
  type Json,
  SPAN_KIND,
  type SpanContext,
  sayingJson,
  spanFlags,
  spanJson,
} from './otlp-json.ts';

/**
 * One span a call and one a phase under it, a comma between them. Of a call they say what it was and how it went; never an
 * argument, a result, a key, a credential, a message or a caller. No tracer makes them: by then all of it is over, and their
 * ids were given away before, to the upstream for one.
 */
export function spansOf(call: CompletedCall): Json | undefined {
  if (!isSampled(call.trace)) return undefined;
  let spans = spanJson(placeOf(call), callSpan(call));
  for (const step of call.steps) spans += `,${spanJson(placeOfStep(call, step), phaseSpan(call, step))}`;
  return spans;
}

function placeOf({ trace, spanId, startedAt, endedAt }: CompletedCall): SpanContext {
  const { traceId, parentId, flags, state, isNew = false } = trace;
  return {
    traceId,
    spanId,
    // Of a trace that begins here nobody has a span.
    parentSpanId: isNew ? undefined : parentId,
    traceState: state,
    flags: spanFlags(flags, !isNew),
    startedAt,
    endedAt,
  };
}

function placeOfStep({ trace, spanId: parentSpanId }: CompletedCall, step: Step): SpanContext {
  const { spanId, startedAt, durationMs } = step;
  return {
    traceId: trace.traceId,
    spanId,
    parentSpanId,
    traceState: trace.state,
    flags: spanFlags(trace.flags, false),
    startedAt,
    endedAt: startedAt + durationMs,
  };
}

function callSpan(call: CompletedCall): Json {
  return sayingJson({
    name: 'tool.invoke',
    kind: SPAN_KIND.server,
    attributes: attributesOf(call),
    events: call.incidents.flatMap(troubleIn).join(),
    hasFailed: call.receipt.status === 'failed',
  });
}

/** Written once: it is what nearly all of them say. */
const PASSED = Object.fromEntries(PHASES.map((phase) => [phase, stepJson({ phase, asksUpstream: false })]));
const PASSED_BY_UPSTREAM = stepJson({ phase: 'execute', asksUpstream: true });

function phaseSpan({ receipt, incidents }: CompletedCall, { phase, passed }: Step): Json {
  const asksUpstream = phase === 'execute' && receipt.attempts > 0;
  const hasFailed = !passed && receipt.status === 'failed';
  const events = phase === 'execute' ? incidents.flatMap(retryIn).join() : '';
  if (hasFailed) return stepJson({ phase, asksUpstream, events, errorCode: receipt.errorCode! });
  if (events !== '') return stepJson({ phase, asksUpstream, events });
  return asksUpstream ? PASSED_BY_UPSTREAM : PASSED[phase]!;
}

interface StepTold {
  readonly phase: Phase;
  readonly asksUpstream: boolean;
  readonly events?: Json;
  /** Of a step that failed. */
  readonly errorCode?: string;
}

function stepJson({ phase, asksUpstream, events = '', errorCode }: StepTold): Json {
  return sayingJson({
    name: `tool.${phase}`,
    kind: asksUpstream ? SPAN_KIND.client : SPAN_KIND.internal,
    attributes: attributesJson({ 'toolgate.phase': phase, 'error.type': errorCode }),
    events,
    hasFailed: errorCode !== undefined,
  });
}

function retryIn({ at, event }: Incident): Json[] {
  if (event.type !== 'retried') return [];
  const { attempt, code } = event;
  return [eventJson('toolgate.retry', at, { 'toolgate.attempt': attempt, 'error.type': code })];
}

/** What went wrong in our own words; the cause may hold anybody's. */
function troubleIn({ at, event }: Incident): Json[] {
  if (event.type === 'retried') return [];
  return [eventJson(`toolgate.${event.type}`, at, { [`toolgate.${event.type}.what`]: event.what })];
}

/** The wires whose calls are MCP's `tools/call`. */
const MCP_SURFACES = new Set(['gateway', 'proxy', 'operations', 'native']);

function attributesOf(call: CompletedCall): Json {
  const { contract, receipt } = call;
  const { callId, surface, status, errorCode, phase, source, attempts } = receipt;
  const ofCall = attributesJson({
    'gen_ai.operation.name': 'execute_tool',
    'mcp.method.name': MCP_SURFACES.has(surface) ? 'tools/call' : undefined,
    'toolgate.call.id': callId,
    'toolgate.surface': surface,
    'toolgate.status': status,
    'toolgate.phase': phase,
    'toolgate.attempts': attempts,
    'toolgate.source': source ?? undefined,
    'toolgate.idempotency.replay': call.hasKey ? source === 'replay' : undefined,
    // The word that the conventions for MCP have for an answer which says that it is an error.
    'error.type': toolReportedError(call) ? 'tool_error' : (errorCode ?? undefined),
    'toolgate.error.code': errorCode ?? undefined,
  });
  return contract ? `${ofCall},${attributesOfTool(contract)}` : ofCall;
}

const written = new WeakMap<ToolContract, Json>();

/** Written once: a tool says the same of itself in every call. */
function attributesOfTool(contract: ToolContract): Json {
  const before = written.get(contract);
  if (before !== undefined) return before;
  const { namespace, name, id, mutation, timeoutClass } = contract;
  const attributes = attributesJson({
    'gen_ai.tool.name': `${namespace}:${name}`,
    'toolgate.tool.id': id,
    'toolgate.tool.mutation': mutation,
    'toolgate.tool.timeout_class': timeoutClass,
  });
  written.set(contract, attributes);
  return attributes;
}
