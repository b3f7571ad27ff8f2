import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import type { Selection } from '../../contract/call/view.ts';

const search = (text: string, parameters: object): Selection[] =>
  pagesOf('text/plain', text, { grep: { ...parameters } });
const firstPage = (text: string, parameters: object): string => search(text, parameters)[0]!.text;

/** The line numbers on the pages that have a mark. */
function numbers(pages: readonly Selection[], mark: string): number[] {
  return pages
    .flatMap(({ text }) => text.split('\n'))
    .flatMap((line) => {
      const [, number, kind] = /^(\d+)([:-]) /.exec(line) ?? [];
      return kind === mark ? [Number(number)] : [];
    });
}

describe('grep', () => {
  const text = 'one\ntwo\nthree\nfour\nfive\nsix\nseven';

  it.each<[object, string]>([
    [{ pattern: 't' }, '2: two\n3: three'],
    [{ pattern: '^f' }, '4: four\n5: five'],
    [{ pattern: 'e$' }, '1: one\n3: three\n5: five'],
    [{ pattern: 'ONE' }, 'no match'],
    [{ pattern: 'ONE', ignore_case: true }, '1: one'],
    [{ pattern: 'four', context: 1 }, '3- three\n4: four\n5- five'],
    [{ pattern: 'one|seven', context: 1 }, '1: one\n2- two\n--\n6- six\n7: seven'],
    [{ pattern: 'two|four', context: 1 }, '1- one\n2: two\n3- three\n4: four\n5- five'],
    [{ pattern: 't', start: 3 }, '3: three'],
    [{ pattern: 't', start: 99 }, 'no match'],
  ])('returns the matches of %j', (parameters, expected) => {
    expect(firstPage(text, parameters)).toBe(expected);
  });

  it('counts the matches on other pages', () => {
    const log = Array.from({ length: 200 }, (_, i) => (i % 2 ? 'error' : 'fine')).join('\n');
    const pages = search(log, { pattern: 'error' });
    expect(pages.map(({ totals }) => totals)).toEqual([
      { matches: 100, lines: 200 },
      { matches: 100, lines: 200 },
    ]);
    expect(pages[0]!.next).toEqual({ grep: { pattern: 'error', start: 102 } });
  });

  it('matches `$` at a CRLF line end', () => {
    expect(firstPage('error\r\nfine\r\n', { pattern: 'error$' })).toBe('1: error\r');
  });

  it('returns every match and every context line once over all pages', () => {
    const line = fc.constantFrom(
      'x',
      'some text',
      'match',
      'match and more',
      'y'.repeat(900),
      `${'z'.repeat(500)}match`,
      '',
    );
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 400, size: 'max' }),
        fc.integer({ min: 0, max: 10 }),
        (lines, context) => {
          const pages = search(lines.join('\n'), { pattern: 'match', context });
          const matches = lines.flatMap((text, index) => (text.includes('match') ? [index + 1] : []));
          const around = lines.flatMap((_, index) => {
            const isNear = matches.some((match) => Math.abs(match - index - 1) <= context);
            return isNear && !matches.includes(index + 1) ? [index + 1] : [];
          });
          expect(numbers(pages, ':')).toEqual(matches);
          expect(numbers(pages, '-')).toEqual(around);
          for (const { text, totals } of pages) {
            expect(text.length).toBeLessThanOrEqual(8_000);
            expect(totals).toEqual({ matches: matches.length, lines: lines.length });
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('cuts a long line to the text around its match', () => {
    const long = `${'a'.repeat(5_000)}needle${'b'.repeat(5_000)}`;
    const shown = firstPage(long, { pattern: 'needle' });
    expect(shown).toMatch(/^1: …a{80}needleb{234}…$/);
    expect(firstPage(`needle${'b'.repeat(5_000)}`, { pattern: 'needle' })).toMatch(/^1: needleb{314}…$/);
    expect(firstPage(`${'a'.repeat(5_000)}needle`, { pattern: 'needle' })).toMatch(/^1: …a{314}needle$/);
  });

  it('finds a match far inside of a very long line, with its position', () => {
    const text = `short\na${'😀'.repeat(100_000)}needle${'y'.repeat(70_000)}\nneedle`;
    const pages = search(text, { pattern: 'needle' });
    expect(pages.flatMap((page) => page.text.match(/^\d+(?:\+\d+)?:/gm) ?? [])).toEqual(['2+196607:', '3:']);
    expect(pages.at(-1)!.totals.lines).toBe(3);
  });

  it('finds a match across two pieces of a line once, in the piece it begins in', () => {
    const gap = fc.integer({ min: 65_500, max: 65_600 });
    const gaps = fc.array(gap, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(gaps, fc.constantFrom('x', '漢', '😀'), (lengths, filler) => {
        const line = lengths.map((length) => `${filler.repeat(length / filler.length)}needle`).join('');
        const places: number[] = [];
        for (let at = line.indexOf('needle'); at >= 0; at = line.indexOf('needle', at + 1)) places.push(at);
        const pieces = new Set(places.map((at) => Math.floor(at / 65_536)));
        const [page] = search(line, { pattern: 'needle' });
        expect(page!.totals).toEqual({ matches: pieces.size, lines: 1 });
        expect(page!.text.match(/needle/g)!.length).toBeGreaterThanOrEqual(pieces.size);
      }),
      { numRuns: 100 },
    );
  });

  it('shortens every line for a small page, and still shows the match', () => {
    const lines = Array.from(
      { length: 40 },
      (_, i) => `${'y'.repeat(900)}${i % 20 === 10 ? 'needle' : 'other'}`,
    );
    const [page] = pagesOf(
      'text/plain',
      lines.join('\n'),
      { grep: { pattern: 'needle', context: 10 } },
      1_000,
    );
    expect(page!.text.length).toBeLessThanOrEqual(1_000);
    expect(page!.text).toContain('11: …');
    expect(page!.text).toContain('needle');
  });

  it('continues after its time limit without missing a match', () => {
    const lines = Array.from(
      { length: 120_000 },
      (_, i) => `${i % 10_000 === 9_999 ? 'abbbz' : 'ab'.repeat(20)} ${i}`,
    );
    const pages = search(lines.join('\n'), { pattern: '(a|b)*(a|b){20}b(a|b){20}z|abbbz' });
    expect(numbers(pages, ':')).toEqual(Array.from({ length: 12 }, (_, i) => (i + 1) * 10_000));
    const stopped = pages.filter(({ totals }) => totals.matches === undefined);
    for (const { text, next } of stopped) expect(next !== undefined || text.length > 0).toBe(true);
  });

  it.each(['(a+)+$', '(a|aa)+$', '(.*)*x$', '(a|b|ab)*c', '.*.*.*.*.*=x'])(
    'runs %s in linear time',
    (pattern) => {
      const began = process.threadCpuUsage();
      const artifact = `${'a'.repeat(1_000_000)}!\n${'ab'.repeat(200)}\n`;
      pagesOf('text/plain', artifact.slice(0, 200_000), { grep: { pattern } });
      const { user, system } = process.threadCpuUsage(began);
      expect((user + system) / 1_000).toBeLessThan(2_000);
    },
  );
});
