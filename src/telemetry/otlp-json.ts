/**
 * The part of OTLP/JSON that traces use (opentelemetry-proto, `trace/v1/trace.proto`, in the JSON mapping of Protobuf).
 * Fields at their default are left out, as the mapping allows: `JSON.stringify` omits members that are undefined.
 */
export interface TracesData {
  readonly resourceSpans: readonly ResourceSpans[];
}

export interface ResourceSpans {
  readonly resource: { readonly attributes: readonly KeyValue[] };
  readonly scopeSpans: readonly ScopeSpans[];
}

export interface ScopeSpans {
  readonly scope: InstrumentationScope;
  readonly spans: readonly Span[];
}

export interface InstrumentationScope {
  readonly name: string;
  readonly version: string;
}

export interface Span extends SpanContext, SpanBody {}

/** Identity, parent and time of a span. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly flags: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

/** Everything else of a span. Spans of the same kind can share one body. */
export interface SpanBody {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly SpanEvent[] | undefined;
  readonly status: Status;
}

export interface SpanEvent {
  readonly timeUnixNano: string;
  readonly name: string;
  readonly attributes: readonly KeyValue[];
}

export interface Status {
  readonly code: 0 | 2;
}

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

export type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: number }
  | { readonly boolValue: boolean };

/** An attribute that is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const;
export type SpanKind = (typeof SPAN_KIND)[keyof typeof SPAN_KIND];

export const STATUS_UNSET: Status = { code: 0 };
export const STATUS_ERROR: Status = { code: 2 };

/** Bits 8 and 9 of `Span.flags`: it is known whether the parent is remote, and it is. */
const HAS_IS_REMOTE = 0x1_00;
const IS_REMOTE = 0x2_00;

export function spanFlags(traceFlags: number, hasRemoteParent: boolean): number {
  return traceFlags | HAS_IS_REMOTE | (hasRemoteParent ? IS_REMOTE : 0);
}

export function toKeyValues(attributes: Attributes): KeyValue[] {
  const keyValues: KeyValue[] = [];
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined) keyValues.push({ key, value: toAnyValue(value) });
  }
  return keyValues;
}

function toAnyValue(value: string | number | boolean): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: value };
}

/** Nanoseconds since the epoch as text: they exceed the integers that a number holds exactly. */
export function toUnixNano(epochMs: number): string {
  const whole = Math.floor(epochMs);
  const fraction = Math.floor((epochMs - whole) * 1e6);
  return `${whole}${String(fraction).padStart(6, '0')}`;
}

/** Makes the function that turns the spans of one export into the body of its request. */
export function traceSerializer(
  resource: Attributes,
  scope: InstrumentationScope,
): (spans: readonly Span[]) => Buffer {
  const attributes = toKeyValues(resource);
  const { name, version } = scope;
  return (spans) => {
    const data: TracesData = {
      resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name, version }, spans }] }],
    };
    return Buffer.from(JSON.stringify(data));
  };
}
