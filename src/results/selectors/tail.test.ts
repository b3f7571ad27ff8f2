import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';

const wellFormed = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '漢', '😀', '\r\n', 'long word') });

describe('tail', () => {
  it('returns the whole text once over all pages, without splitting a character', () => {
    fc.assert(
      fc.property(wellFormed, fc.integer({ min: 1, max: 9 }), (text, chars) => {
        const pages = pagesOf('text/plain', text, { tail: { chars } });
        expect(
          pages
            .map((page) => page.text)
            .reverse()
            .join(''),
        ).toBe(text);
        for (const page of pages) {
          expect(page.text.isWellFormed()).toBe(true);
          expect(page.text.length).toBeLessThanOrEqual(chars + 1);
          expect(page.totals).toEqual({ chars: text.length });
        }
      }),
    );
  });

  it('begins at a line start if possible', () => {
    const [page] = pagesOf('text/plain', 'first line\nsecond line\nthird', { tail: { chars: 14 } });
    expect(page).toEqual({ text: 'third', totals: { chars: 28 }, next: { tail: { end: 23, chars: 14 } } });
    expect(pagesOf('text/plain', 'ab\ncd', { tail: { chars: 2 } })[0]!.text).toBe('cd');
  });

  it('returns 4,000 characters by default and 8,000 at most', () => {
    const text = 'x'.repeat(20_000);
    const lengths = (chars?: number): number[] =>
      pagesOf('text/plain', text, { tail: { ...(chars && { chars }) } }).map((page) => page.text.length);
    expect(lengths()).toEqual([4_000, 4_000, 4_000, 4_000, 4_000]);
    expect(lengths(1e9)).toEqual([8_000, 8_000, 4_000]);
  });

  it('ends at `end`', () => {
    expect(pagesOf('text/plain', 'abcdef', { tail: { end: 4, chars: 9 } })).toEqual([
      { text: 'abcd', totals: { chars: 6 } },
    ]);
    expect(pagesOf('text/plain', 'abc', { tail: { end: 99 } })[0]!.text).toBe('abc');
    expect(pagesOf('text/plain', 'abc', { tail: { end: 0 } })[0]!.text).toBe('');
  });
});
