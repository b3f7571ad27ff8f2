import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import { joinPages } from '../../../test/results/join-pages.ts';

describe('lines', () => {
  it('returns the whole text once over all pages', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\r', ' '), maxLength: 60 });
    const long = fc.integer({ min: 3_990, max: 8_005 }).map((length) => `a${'😀'.repeat(length)}`);
    const line = fc.oneof({ arbitrary: short, weight: 50 }, { arbitrary: long, weight: 1 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 300 }), (lines) => {
        const text = lines.join('\n');
        const pages = pagesOf('text/plain', text, { lines: {} });
        expect(joinPages(pages)).toBe(text);
        for (const page of pages) expect(page.text.length).toBeLessThanOrEqual(8_000);
        for (const { totals } of pages) expect(totals).toEqual({ lines: Math.max(lines.length, 1) });
      }),
    );
  });

  it('names the next page, with its last line', () => {
    const text = Array.from({ length: 250 }, (_, i) => `line ${i + 1}`).join('\n');
    const pages = pagesOf('text/plain', text, { lines: { start: 1, end: 30 } });
    expect(pages.map(({ next }) => next)).toEqual([
      { lines: { start: 31, end: 130 } },
      { lines: { start: 131, end: 230 } },
      { lines: { start: 231, end: 250 } },
      undefined,
    ]);
  });

  it.each([
    ['', 1],
    ['\n', 2],
    ['a\n', 2],
    ['a\nb', 2],
    ['\n\n\n', 4],
  ])('counts the lines of %j: %i', (text, lines) => {
    expect(pagesOf('text/plain', text, { lines: {} })[0]).toEqual({ text, totals: { lines } });
  });

  it('returns at most 8,000 characters per page, and continues inside of a long line', () => {
    const text = `short\n${'x'.repeat(50_000)}\n${'y'.repeat(3_000)}\n${'z'.repeat(6_000)}\nlast`;
    const pages = pagesOf('text/plain', text, { lines: {} });
    const lengths = pages.map((page) => page.text.length);
    expect(lengths).toEqual([5, 8_000, 8_000, 8_000, 8_000, 8_000, 8_000, 5_001, 6_005]);
    expect(joinPages(pages)).toBe(text);
    expect(pages[1]!.next).toEqual({ lines: { start: 2, from: 8_000, end: 5 } });
  });

  it('finds a line in eight million characters quickly', () => {
    const text = `${'some line of a log\n'.repeat(400_000)}end`;
    const began = performance.now();
    const [page] = pagesOf('text/plain', text, { lines: { start: 400_001 } });
    expect(page).toEqual({ text: 'end', totals: { lines: 400_001 } });
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
