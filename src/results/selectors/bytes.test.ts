import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Selection } from '../../contract/call/view.ts';
import { makeArtifact } from '../artifacts/artifact.ts';
import { bytes } from './bytes.ts';
import { MAX_VIEW_LENGTH, type Parameters } from './selector.ts';

function pages(content: Uint8Array, parameters: Parameters = {}): Selection[] {
  const artifact = makeArtifact('application/octet-stream', content);
  const all: Selection[] = [];
  for (let next: Parameters | undefined = parameters; next; ) {
    const page: Selection = bytes.select(artifact, next, MAX_VIEW_LENGTH);
    all.push(page);
    next = page.next?.bytes as Parameters | undefined;
  }
  return all;
}

function bytesOf({ text }: Selection): Buffer {
  return text.startsWith('base64:') ? Buffer.from(text.slice(7), 'base64') : Buffer.from(text);
}

describe('bytes', () => {
  it('returns every byte once over all pages', () => {
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(part), fc.integer({ min: 1, max: 20 }), fc.boolean(), (parts, end, base64) => {
        const content = Buffer.concat(parts);
        const read = pages(content, { end, base64 });
        expect(Buffer.concat(read.map(bytesOf)).equals(content)).toBe(true);
        for (const { totals, text } of read) {
          expect(totals).toEqual({ bytes: content.length });
          expect(text.startsWith('base64:') || !base64).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('returns UTF-8 as text without splitting a character, and other bytes as base64', () => {
    const [first, second] = pages(Buffer.from('a😀b'), { end: 3 });
    expect(first).toEqual({ text: 'a', totals: { bytes: 6 }, next: { bytes: { start: 1, end: 6 } } });
    expect(second!.text).toBe('😀b');
    for (const text of ['aé', 'a漢', 'a😀']) expect(pages(Buffer.from(text))).toHaveLength(1);
    expect(pages(Buffer.from('é'), { start: 1, end: 2 })[0]!.text).toBe('base64:qQ==');
    expect(pages(Buffer.from([0xff, 0xfe]))[0]!.text).toBe('base64://4=');
    expect(pages(Buffer.from('plain'), { base64: true })[0]!.text).toBe('base64:cGxhaW4=');
  });

  it('returns at most 8,000 characters per page', () => {
    for (const content of [
      Buffer.alloc(20_000, 0xff),
      Buffer.alloc(20_000, 'x'),
      Buffer.from('漢'.repeat(9_000)),
    ]) {
      const read = pages(content, { end: 1e9 });
      for (const { text } of read) expect(text.length).toBeLessThanOrEqual(8_000);
      expect(Buffer.concat(read.map(bytesOf)).equals(content)).toBe(true);
    }
    expect(pages(Buffer.alloc(4_000, 'x'))[0]!.text).toHaveLength(3_000);
  });

  it('returns nothing beyond the end', () => {
    expect(pages(Buffer.from('abc'), { start: 9 })).toEqual([{ text: '', totals: { bytes: 3 } }]);
    expect(pages(Buffer.alloc(0))).toEqual([{ text: '', totals: { bytes: 0 } }]);
  });
});
