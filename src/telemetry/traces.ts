import {
  type Attributes,
  createTraceState,
  type HrTime,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { isSampled } from '../contract/trace.ts';
import { toolReportedError } from './how-it-ended.ts';
import type { Incident, Step, WatchedCall } from './watched-call.ts';

/** Who speaks, the same for every span. */
export type Origin = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

/**
 * One span a call and one a phase under it. Of a call they say what it was and how it went; never an argument, a result, a
 * key, a credential, a message or a caller. They are written as they are sent and not made by a tracer: when they are
 * made all of it is over, and their ids were given away before, to the upstream for one.
 */
export function spansOf(call: WatchedCall, origin: Origin): readonly ReadableSpan[] {
  const { trace: came } = call.arrival;
  if (!isSampled(came)) return [];
  const traceState = came.state === undefined ? {} : { traceState: createTraceState(came.state) };
  const contextOf = (spanId: string, traceFlags: number): SpanContext => ({
    traceId: came.traceId,
    spanId,
    traceFlags,
    ...traceState,
  });
  const whole = {
    context: contextOf(call.spanId, TraceFlags.SAMPLED),
    // Of a trace that begins here nobody has a span.
    parent: came.isNew ? undefined : { ...contextOf(came.parentId, came.flags), isRemote: true },
  };
  const steps = call.steps.map((step) =>
    spanOf(origin, stepOf(call, step), {
      context: contextOf(step.spanId, TraceFlags.SAMPLED),
      parent: whole.context,
    }),
  );
  return [spanOf(origin, wholeOf(call), whole), ...steps];
}

interface Told extends Pick<ReadableSpan, 'name' | 'kind' | 'attributes' | 'events'> {
  /** Epoch milliseconds, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly hasFailed: boolean;
}

interface Place {
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
}

/** Member by member: every call makes seven, and copying objects into each other costs several times as much. */
function spanOf(
  { resource, instrumentationScope }: Origin,
  { name, kind, startedAt, endedAt, attributes, events, hasFailed }: Told,
  { context, parent }: Place,
): ReadableSpan {
  const span: { -readonly [Member in keyof ReadableSpan]: ReadableSpan[Member] } = {
    resource,
    instrumentationScope,
    name,
    kind,
    spanContext: () => context,
    startTime: timeOf(startedAt),
    endTime: timeOf(endedAt),
    duration: timeOf(endedAt - startedAt),
    ended: true,
    status: { code: hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes,
    events,
    links: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
  if (parent) span.parentSpanContext = parent;
  return span;
}

/** Seconds, and nanoseconds beyond them. */
function timeOf(milliseconds: number): HrTime {
  const nanoseconds = Math.round((milliseconds % 1_000) * 1e6);
  const seconds = Math.trunc(milliseconds / 1_000);
  return nanoseconds < 1e9 ? [seconds, nanoseconds] : [seconds + 1, nanoseconds - 1e9];
}

function wholeOf(call: WatchedCall): Told {
  return {
    name: 'tool.invoke',
    kind: SpanKind.SERVER,
    startedAt: call.startedAt,
    endedAt: call.endedAt,
    attributes: attributesOf(call),
    events: call.incidents.flatMap(({ at, event }) =>
      event.type === 'retried'
        ? []
        : { time: timeOf(at), name: `toolgate.${event.type}`, attributes: attributesOfIncident(event) },
    ),
    hasFailed: call.receipt.status === 'failed',
  };
}

function stepOf({ receipt, incidents }: WatchedCall, step: Step): Told {
  const asksUpstream = step.phase === 'execute' && receipt.attempts > 0;
  const hasFailed = !step.passed && receipt.status === 'failed';
  return {
    name: `tool.${step.phase}`,
    kind: asksUpstream ? SpanKind.CLIENT : SpanKind.INTERNAL,
    startedAt: step.startedAt,
    endedAt: step.startedAt + step.durationMs,
    attributes: {
      'toolgate.phase': step.phase,
      ...(hasFailed && { 'error.type': receipt.errorCode! }),
    },
    events: step.phase === 'execute' ? incidents.flatMap(retryIn) : [],
    hasFailed,
  };
}

function retryIn({ at, event }: Incident): ReadableSpan['events'] {
  if (event.type !== 'retried') return [];
  const { attempt, code } = event;
  const attributes = { 'toolgate.attempt': attempt, 'error.type': code };
  return [{ time: timeOf(at), name: 'toolgate.retry', attributes }];
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
