/**
 * Traces as OTLP writes them in JSON. They are text from the start: as objects, and by the exporter's way from those to the
 * same text, a call's spans cost several times as much.
 */
export type Json = string;

/** Where a span stands: in which trace, under whom, from when to when. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly flags: number;
  /** Epoch milliseconds, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What a span says. */
interface SpanBody {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Json;
  readonly events: Json;
  readonly hasFailed: boolean;
}

/** One that is undefined is not told. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const;
const STATUS = { unset: 0, error: 2 } as const;

/** Above the flags of the trace: that it is known where the parent is, and that it is elsewhere. */
const KNOWN_PARENT = 0x1_00;
const REMOTE_PARENT = 0x2_00;

export function spanFlags(traceFlags: number, hasRemoteParent: boolean): number {
  return traceFlags | KNOWN_PARENT | (hasRemoteParent ? REMOTE_PARENT : 0);
}

export function spanJson(place: SpanContext, saying: Json): Json {
  const { traceId, spanId, parentSpanId, traceState, flags, startedAt, endedAt } = place;
  return (
    `{"traceId":"${traceId}","spanId":"${spanId}",` +
    (parentSpanId === undefined ? '' : `"parentSpanId":"${parentSpanId}",`) +
    (traceState === undefined ? '' : `"traceState":${JSON.stringify(traceState)},`) +
    `"flags":${flags},"startTimeUnixNano":"${nanoseconds(startedAt)}","endTimeUnixNano":"${nanoseconds(endedAt)}",${saying}}`
  );
}

/** For a span to say: without its braces, and the same for all that say the same. */
export function sayingJson({ name, kind, attributes, events, hasFailed }: SpanBody): Json {
  const status = hasFailed ? STATUS.error : STATUS.unset;
  return (
    `"name":"${name}","kind":${kind},"attributes":[${attributes}],` +
    (events === '' ? '' : `"events":[${events}],`) +
    `"status":{"code":${status}}`
  );
}

export function eventJson(name: string, at: number, attributes: Attributes): Json {
  return `{"timeUnixNano":"${nanoseconds(at)}","name":"${name}","attributes":[${attributesJson(attributes)}]}`;
}

/** The keys are ours; the values may be anybody's. */
export function attributesJson(attributes: Attributes): Json {
  let json = '';
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined) json += `${json && ','}{"key":"${key}","value":${valueJson(value)}}`;
  }
  return json;
}

function valueJson(value: string | number | boolean): Json {
  if (typeof value === 'string') return `{"stringValue":${JSON.stringify(value)}}`;
  return typeof value === 'boolean' ? `{"boolValue":${value}}` : `{"intValue":${value}}`;
}

const COMMA = Buffer.from(',');
const END = Buffer.from(']}]}]}');

/** Writes what a collector is sent: who speaks, and spans that are in bytes already. */
export function traceRequests(
  resource: Attributes,
  { name, version }: { readonly name: string; readonly version: string },
): (spans: readonly Buffer[]) => Buffer {
  const who = `"resource":{"attributes":[${attributesJson(resource)}]}`;
  const scope = `"scope":${JSON.stringify({ name, version })}`;
  const beginning = Buffer.from(`{"resourceSpans":[{${who},"scopeSpans":[{${scope},"spans":[`);
  return (spans) =>
    Buffer.concat([beginning, ...spans.flatMap((some, at) => (at === 0 ? [some] : [COMMA, some])), END]);
}

/** In digits: no number has room for so many. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const beyond = Math.floor((milliseconds - whole) * 1e6);
  return `${whole}${String(beyond).padStart(6, '0')}`;
}
