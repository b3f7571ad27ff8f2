import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, LineSplitter } from './line-splitter.ts';

/** All lines of a text that arrives in chunks of the given sizes. */
function split(text: string, sizes: readonly number[], maxBytes: number): Line[] {
  const bytes = Buffer.from(text);
  const splitter = new LineSplitter(maxBytes);
  const lines: Line[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    splitter.push(bytes.subarray(at, at + size));
    at += size;
    if (i % 2 === 0) for (let line = splitter.next(); line; line = splitter.next()) lines.push(line);
  }
  for (let line = splitter.next(); line; line = splitter.next()) lines.push(line);
  return lines;
}

describe('LineSplitter', () => {
  it('returns the same lines however the bytes are divided, and the ends of those over the limit', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\n', ''));
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(line), sizes, fc.integer({ min: 1, max: 60 }), (texts, chunks, maxBytes) => {
        const text = texts.map((one) => `${one}\n`).join('');
        const expected = texts.map((one) => {
          const bytes = Buffer.byteLength(one);
          return bytes > maxBytes
            ? expect.objectContaining({ kind: 'oversized', bytes, tail: one })
            : { kind: 'complete', text: one, bytes };
        });
        expect(split(text, chunks, maxBytes)).toEqual(expected);
      }),
    );
  });

  it('keeps little of a line over the limit', () => {
    const [line] = split(`${'a'.repeat(50_000)}${'z'.repeat(50_000)}\n`, [1_000], 10_000);
    expect(line).toEqual({
      kind: 'oversized',
      head: 'a'.repeat(4_096),
      tail: 'z'.repeat(4_096),
      bytes: 100_000,
    });
  });
});
