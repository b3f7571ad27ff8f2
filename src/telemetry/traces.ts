import {
  type Attributes,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isSampled } from '../contract/trace.ts';
import { toolReportedError } from './how-it-ended.ts';
import type { Incident, Step, WatchedCall } from './watched-call.ts';

/**
 * Gives spans the ids that the call already goes by: an upstream was told the one of `execute` before there was any span.
 * For the tracer that `traceCalls` is given, and for no other.
 */
export class GivenIds {
  traceId = '';
  spanId = '';

  generateTraceId(): string {
    return this.traceId;
  }

  generateSpanId(): string {
    return this.spanId;
  }
}

/**
 * One span a call and one a phase under it, made when the call has ended. Of a call they say what it was and how it went;
 * never an argument, a result, a key, a credential, a message or a caller.
 */
export function traceCalls(tracer: Tracer, ids: GivenIds): (call: WatchedCall) => void {
  return (call) => {
    const { trace: came } = call.arrival;
    if (!isSampled(came)) return;
    ids.traceId = came.traceId;
    ids.spanId = call.spanId;
    const span = tracer.startSpan(
      'tool.invoke',
      { kind: SpanKind.SERVER, startTime: call.startedAt, attributes: attributesOf(call) },
      callersContext(call),
    );
    for (const { at, event } of call.incidents) {
      if (event.type !== 'retried') span.addEvent(`toolgate.${event.type}`, attributesOfIncident(event), at);
    }
    const within = trace.setSpan(ROOT_CONTEXT, span);
    for (const step of call.steps) {
      ids.spanId = step.spanId;
      traceStep(tracer, within, call, step);
    }
    if (call.receipt.status === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(call.endedAt);
  };
}

/** The span of the caller, where one exists. */
function callersContext({ arrival: { trace: came } }: WatchedCall): Context {
  if (came.isNew) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: came.traceId,
    spanId: came.parentId,
    traceFlags: came.flags,
    isRemote: true,
    ...(came.state !== undefined && { traceState: createTraceState(came.state) }),
  });
}

function traceStep(tracer: Tracer, within: Context, call: WatchedCall, step: Step): void {
  const { receipt, incidents } = call;
  const asksUpstream = step.phase === 'execute' && receipt.attempts > 0;
  const hasFailed = !step.passed && receipt.status === 'failed';
  const span = tracer.startSpan(
    `tool.${step.phase}`,
    {
      kind: asksUpstream ? SpanKind.CLIENT : SpanKind.INTERNAL,
      startTime: step.startedAt,
      attributes: {
        'toolgate.phase': step.phase,
        ...(hasFailed && { 'error.type': receipt.errorCode! }),
      },
    },
    within,
  );
  if (step.phase === 'execute') {
    for (const { at, event } of incidents) {
      if (event.type !== 'retried') continue;
      const { attempt, code } = event;
      span.addEvent('toolgate.retry', { 'toolgate.attempt': attempt, 'error.type': code }, at);
    }
  }
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(step.startedAt + step.durationMs);
}

/** The wires whose calls are MCP's `tools/call`. */
const MCP_SURFACES = new Set(['gateway', 'proxy', 'operations', 'native']);

function attributesOf(call: WatchedCall): Attributes {
  const { arrival, contract, receipt } = call;
  const { callId, surface, status, errorCode, phase, source, attempts } = receipt;
  return {
    'gen_ai.operation.name': 'execute_tool',
    ...(MCP_SURFACES.has(surface) && { 'mcp.method.name': 'tools/call' }),
    ...(contract && {
      'gen_ai.tool.name': `${contract.namespace}:${contract.name}`,
      'toolgate.tool.id': contract.id,
      'toolgate.tool.mutation': contract.mutation,
      'toolgate.tool.timeout_class': contract.timeoutClass,
    }),
    'toolgate.call.id': callId,
    'toolgate.surface': surface,
    'toolgate.status': status,
    'toolgate.phase': phase,
    'toolgate.attempts': attempts,
    ...(source !== null && { 'toolgate.source': source }),
    ...(arrival.idempotencyKey !== undefined && { 'toolgate.idempotency.replay': source === 'replay' }),
    ...(errorCode !== null && {
      // The word that the conventions for MCP have for an answer which says that it is an error.
      'error.type': toolReportedError(call) ? 'tool_error' : errorCode,
      'toolgate.error.code': errorCode,
    }),
  };
}

/** What went wrong in our own words; the cause may hold anybody's. */
function attributesOfIncident(event: Exclude<Incident['event'], { type: 'retried' }>): Attributes {
  return { [`toolgate.${event.type}.what`]: event.what };
}
