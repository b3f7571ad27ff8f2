import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SPAN_KIND,
  type Span,
  STATUS_ERROR,
  STATUS_UNSET,
  spanFlags,
  toKeyValues,
  toUnixNano,
  traceSerializer,
} from './otlp-json.ts';

const SPAN: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: undefined,
  traceState: undefined,
  flags: spanFlags(1, false),
  startTimeUnixNano: toUnixNano(1_700_000_000_000),
  endTimeUnixNano: toUnixNano(1_700_000_000_001.5),
  name: 'tool.invoke',
  kind: SPAN_KIND.internal,
  attributes: [],
  events: undefined,
  status: STATUS_UNSET,
};

const serialize = traceSerializer({ 'service.name': 'a "gate"' }, { name: 'toolgate', version: '1' });

function parseSpans(spans: readonly Span[]): unknown[] {
  return JSON.parse(serialize(spans).toString('utf8')).resourceSpans[0].scopeSpans[0].spans;
}

describe('traceSerializer', () => {
  it('writes a span as the exporter of OpenTelemetry does', () => {
    const span: Span = {
      ...SPAN,
      parentSpanId: '00f067aa0ba902b7',
      traceState: 'k=v',
      flags: spanFlags(3, true),
      kind: SPAN_KIND.server,
      attributes: toKeyValues({ a: 'x', b: 1, c: true, d: undefined }),
      events: [{ timeUnixNano: toUnixNano(1_700_000_000_000.25), name: 'e', attributes: [] }],
      status: STATUS_ERROR,
    };
    expect(parseSpans([span])).toEqual([
      {
        traceId: '0af7651916cd43dd8448eb211c80319c',
        spanId: 'b7ad6b7169203331',
        parentSpanId: '00f067aa0ba902b7',
        traceState: 'k=v',
        flags: 0x303,
        startTimeUnixNano: '1700000000000000000',
        endTimeUnixNano: '1700000000001500000',
        name: 'tool.invoke',
        kind: 2,
        attributes: [
          { key: 'a', value: { stringValue: 'x' } },
          { key: 'b', value: { intValue: 1 } },
          { key: 'c', value: { boolValue: true } },
        ],
        events: [{ timeUnixNano: '1700000000000250000', name: 'e', attributes: [] }],
        status: { code: 2 },
      },
    ]);
  });

  it('leaves out fields at their default', () => {
    const [span] = parseSpans([SPAN]);
    for (const field of ['parentSpanId', 'traceState', 'events']) expect(span).not.toHaveProperty(field);
  });

  it('escapes names, keys and values', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, text, (name, key, value) => {
        const span: Span = {
          ...SPAN,
          name,
          traceState: value,
          attributes: [{ key, value: { stringValue: value } }],
        };
        expect(parseSpans([span])).toMatchObject([
          { name, traceState: value, attributes: [{ key, value: { stringValue: value } }] },
        ]);
      }),
    );
  });

  it('puts any number of spans into one request under one resource and one scope', () => {
    for (const count of [1, 2, 300]) {
      const spans = Array.from({ length: count }, (_, i) => ({ ...SPAN, name: `é${i}` }));
      expect(JSON.parse(serialize(spans).toString('utf8'))).toEqual({
        resourceSpans: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'a "gate"' } }] },
            scopeSpans: [
              {
                scope: { name: 'toolgate', version: '1' },
                spans: spans.map(({ name }) => expect.objectContaining({ name })),
              },
            ],
          },
        ],
      });
    }
  });
});

describe('toUnixNano', () => {
  it('is exact to the nanosecond and keeps the order of times', () => {
    const time = fc.double({ min: 0, max: 4e12, noNaN: true });
    fc.assert(
      fc.property(time, fc.double({ min: 0, max: 1e9, noNaN: true }), (startedAt, durationMs) => {
        const endedAt = startedAt + durationMs;
        const [start, end] = [BigInt(toUnixNano(startedAt)), BigInt(toUnixNano(endedAt))];
        expect(end >= start).toBe(true);
        for (const [nanoseconds, epochMs] of [[start, startedAt] as const, [end, endedAt] as const]) {
          expect(Math.abs(Number(nanoseconds / 1_000_000n) - Math.floor(epochMs))).toBe(0);
          expect(Math.abs(Number(nanoseconds % 1_000_000n) - (epochMs % 1) * 1e6)).toBeLessThan(1.01);
        }
      }),
    );
  });
});
