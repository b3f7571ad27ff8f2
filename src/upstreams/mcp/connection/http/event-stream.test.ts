import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStream, type ServerSentEvent } from './event-stream.ts';

function read(chunks: readonly Uint8Array[], maxEventBytes = 1_000_000) {
  const events: ServerSentEvent[] = [];
  const stream = new EventStream({ maxEventBytes, onEvent: (event) => events.push(event) });
  for (const chunk of chunks) stream.push(Buffer.from(chunk));
  return { events, lastEventId: stream.lastEventId, retryMs: stream.retryMs };
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const cuts = [
    0,
    ...at.map((position) => position % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end));
}

describe('EventStream', () => {
  it.each([
    ['one event', 'data: {"a":1}\n\n', ['{"a":1}']],
    ['no space after the colon', 'data:x\n\n', ['x']],
    ['lines that end with CRLF', 'event: message\r\ndata: x\r\n\r\n', ['x']],
    ['data of several lines', 'data: {\ndata: }\n\n', ['{\n}']],
    ['comments and unknown fields', ': hello\nsomething: else\ndata: x\n\n', ['x']],
    ['an event without data', 'id: 7\n\ndata: x\n\n', ['x']],
    ['an event that has not ended', 'data: x\n', []],
  ])('reads %s', (_, text, expected) => {
    expect(read([Buffer.from(text)]).events.map(({ data }) => data)).toEqual(expected);
  });

  it('keeps the last event id, the delay before a reconnect and the name of an event', () => {
    const text = 'id: 7\nretry: 50\nevent: ping\ndata: x\n\ndata: y\n\n';
    expect(read([Buffer.from(text)])).toEqual({
      events: [
        { data: 'x', name: 'ping' },
        { data: 'y', name: '' },
      ],
      lastEventId: '7',
      retryMs: 50,
    });
  });

  it('reads the same events however the bytes are cut', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text) && text !== '');
    fc.assert(
      fc.property(
        fc.array(line),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat(500)),
        (lines, end, cuts) => {
          const bytes = Buffer.from(lines.map((text) => `data: ${text}${end}${end}`).join(''));
          expect(read(cut(bytes, cuts)).events.map(({ data }) => data)).toEqual(lines);
        },
      ),
    );
  });

  it('limits one event and not the number of events', () => {
    const small = Buffer.from(`data: ${'x'.repeat(50)}\n\n`.repeat(100));
    expect(read([small], 100).events).toHaveLength(100);
    expect(() => read([Buffer.from(`data: ${'x'.repeat(200)}`)], 100)).toThrow('maxAnswerBytes (100)');
    expect(() => read([Buffer.from('data: x\n'.repeat(50))], 100)).toThrow('maxAnswerBytes (100)');
  });
});
