import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';

const wellFormed = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '漢', '😀', '👩‍👩‍👧', '\t', '"') });

describe('head', () => {
  it('returns the whole text once over all pages, without splitting a character', () => {
    fc.assert(
      fc.property(wellFormed, fc.integer({ min: 1, max: 7 }), (text, chars) => {
        const pages = pagesOf('text/plain', text, { head: { chars } });
        expect(pages.map((page) => page.text).join('')).toBe(text);
        for (const page of pages) {
          expect(page.text.isWellFormed()).toBe(true);
          expect(page.totals).toEqual({ chars: text.length });
        }
      }),
    );
  });

  it('returns 4,000 characters by default and 8,000 at most', () => {
    const text = 'x'.repeat(20_000);
    expect(pagesOf('text/plain', text, { head: {} }).map((page) => page.text.length)).toEqual([
      4_000, 4_000, 4_000, 4_000, 4_000,
    ]);
    expect(pagesOf('text/plain', text, { head: { chars: 1e9 } }).map((page) => page.text.length)).toEqual([
      8_000, 8_000, 4_000,
    ]);
  });

  it('begins at `start`, and is empty beyond the end', () => {
    expect(pagesOf('text/plain', 'abcdef', { head: { start: 4 } })).toEqual([
      { text: 'ef', totals: { chars: 6 } },
    ]);
    expect(pagesOf('text/plain', 'abc', { head: { start: 9 } })).toEqual([
      { text: '', totals: { chars: 3 } },
    ]);
  });
});
