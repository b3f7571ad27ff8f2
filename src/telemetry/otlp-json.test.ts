import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  attributesJson,
  eventJson,
  SPAN_KIND,
  type SpanContext,
  sayingJson,
  spanFlags,
  spanJson,
  traceRequests,
} from './otlp-json.ts';

const PLACE: SpanContext = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: undefined,
  traceState: undefined,
  flags: spanFlags(1, false),
  startedAt: 1_700_000_000_000,
  endedAt: 1_700_000_000_001.5,
};

it('writes what the exporter of OpenTelemetry writes, less what is left at its default', () => {
  const saying = sayingJson({
    name: 'tool.invoke',
    kind: SPAN_KIND.server,
    attributes: attributesJson({ a: 'x', b: 1, c: true, d: undefined }),
    events: eventJson('e', 1_700_000_000_000.25, {}),
    hasFailed: true,
  });
  const place = { ...PLACE, parentSpanId: '00f067aa0ba902b7', traceState: 'k=v', flags: spanFlags(3, true) };
  expect(JSON.parse(spanJson(place, saying))).toEqual({
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
  });
});

it('keeps within its quotes whatever a tool or a caller is called', () => {
  const anything = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(anything, anything, (value, traceState) => {
      const saying = sayingJson({
        name: 'n',
        kind: SPAN_KIND.internal,
        attributes: attributesJson({ value }),
        events: '',
        hasFailed: false,
      });
      const span = JSON.parse(spanJson({ ...PLACE, traceState }, saying));
      expect(span).toMatchObject({
        traceState,
        attributes: [{ key: 'value', value: { stringValue: value } }],
      });
    }),
  );
});

it('tells times to the nanosecond, in their order', () => {
  const time = fc.double({ min: 0, max: 4e12, noNaN: true });
  fc.assert(
    fc.property(time, fc.double({ min: 0, max: 1e9, noNaN: true }), (startedAt, durationMs) => {
      const endedAt = startedAt + durationMs;
      const { startTimeUnixNano, endTimeUnixNano } = JSON.parse(
        spanJson({ ...PLACE, startedAt, endedAt }, '"name":"n"'),
      ) as Record<string, string>;
      const [start, end] = [BigInt(startTimeUnixNano!), BigInt(endTimeUnixNano!)];
      expect(end >= start).toBe(true);
      for (const [digits, told] of [[start, startedAt] as const, [end, endedAt] as const]) {
        expect(Math.abs(Number(digits / 1_000_000n) - Math.floor(told))).toBe(0);
        expect(Math.abs(Number(digits % 1_000_000n) - (told % 1) * 1e6)).toBeLessThan(1.01);
      }
    }),
  );
});

it('puts any number of spans into one request, under who speaks', () => {
  const requestOf = traceRequests({ 'service.name': 'a "gate"' }, { name: 'toolgate', version: '1' });
  for (const number of [1, 2, 300]) {
    const spans = Array.from({ length: number }, (_, i) => Buffer.from(`{"name":"é${i}"}`));
    expect(JSON.parse(requestOf(spans).toString('utf8'))).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'a "gate"' } }] },
          scopeSpans: [
            {
              scope: { name: 'toolgate', version: '1' },
              spans: spans.map((_, i) => ({ name: `é${i}` })),
            },
          ],
        },
      ],
    });
  }
});
