import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';

describe('lines', () => {
  it('read to their end give the whole text once', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\r', ' '), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 300 }), (lines) => {
        const text = lines.join('\n');
        const pages = pagesOf('text/plain', text, { lines: {} });
        expect(pages.map((page) => page.text).join('\n')).toBe(text);
        for (const { totals } of pages) expect(totals).toEqual({ lines: Math.max(lines.length, 1) });
      }),
    );
  });

  it('by the first lines to ask for, then by what is next', () => {
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
  ])('of %j are %i', (text, lines) => {
    expect(pagesOf('text/plain', text, { lines: {} })[0]).toEqual({ text, totals: { lines } });
  });

  it('take no more than a page, and a line without end does not stop them', () => {
    const text = `short\n${'x'.repeat(50_000)}\n${'y'.repeat(3_000)}\n${'z'.repeat(6_000)}\nlast`;
    const pages = pagesOf('text/plain', text, { lines: {} });
    expect(pages.map((page) => page.text.length)).toEqual([5, 8_000, 3_000, 6_005]);
    for (const page of pages) expect(page.text.length).toBeLessThanOrEqual(8_000);
  });

  it('are found in the middle of eight million characters', () => {
    const text = `${'some line of a log\n'.repeat(400_000)}end`;
    const began = performance.now();
    const [page] = pagesOf('text/plain', text, { lines: { start: 400_001 } });
    expect(page).toEqual({ text: 'end', totals: { lines: 400_001 } });
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
