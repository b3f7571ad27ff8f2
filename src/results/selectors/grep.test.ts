import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import type { Selection } from '../../contract/call/view.ts';

const found = (text: string, parameters: object): Selection[] =>
  pagesOf('text/plain', text, { grep: { ...parameters } });
const only = (text: string, parameters: object): string => found(text, parameters)[0]!.text;

/** The numbers of the lines that pages show, by their mark. */
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
  ])('%j', (parameters, shown) => {
    expect(only(text, parameters)).toBe(shown);
  });

  it('counts what it does not show', () => {
    const log = Array.from({ length: 200 }, (_, i) => (i % 2 ? 'error' : 'fine')).join('\n');
    const pages = found(log, { pattern: 'error' });
    expect(pages.map(({ totals }) => totals)).toEqual([
      { matches: 100, lines: 200 },
      { matches: 100, lines: 200 },
    ]);
    expect(pages[0]!.next).toEqual({ grep: { pattern: 'error', start: 102 } });
  });

  it('matches the ends of lines that end the other way', () => {
    expect(only('error\r\nfine\r\n', { pattern: 'error$' })).toBe('1: error\r');
  });

  it('read to its end shows every match once and every line around one once', () => {
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
          const pages = found(lines.join('\n'), { pattern: 'match', context });
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

  it('shows a long line around its match', () => {
    const long = `${'a'.repeat(5_000)}needle${'b'.repeat(5_000)}`;
    const shown = only(long, { pattern: 'needle' });
    expect(shown).toMatch(/^1: …a{80}needleb{234}…$/);
    expect(only(`needle${'b'.repeat(5_000)}`, { pattern: 'needle' })).toMatch(/^1: needleb{314}…$/);
    expect(only(`${'a'.repeat(5_000)}needle`, { pattern: 'needle' })).toMatch(/^1: …a{314}needle$/);
  });

  it('finds what is far inside of a line without end, and says where', () => {
    const text = `short\na${'😀'.repeat(100_000)}needle${'y'.repeat(70_000)}\nneedle`;
    const pages = found(text, { pattern: 'needle' });
    expect(pages.flatMap((page) => page.text.match(/^\d+(?:\+\d+)?:/gm) ?? [])).toEqual(['2+196607:', '3:']);
    expect(pages.at(-1)!.totals.lines).toBe(3);
  });

  it('finds what lies across two pieces of a line, once, in the piece that it begins in', () => {
    const gap = fc.integer({ min: 65_500, max: 65_600 });
    const gaps = fc.array(gap, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(gaps, fc.constantFrom('x', '漢', '😀'), (lengths, filler) => {
        const line = lengths.map((length) => `${filler.repeat(length / filler.length)}needle`).join('');
        const places: number[] = [];
        for (let at = line.indexOf('needle'); at >= 0; at = line.indexOf('needle', at + 1)) places.push(at);
        const pieces = new Set(places.map((at) => Math.floor(at / 65_536)));
        const [page] = found(line, { pattern: 'needle' });
        expect(page!.totals).toEqual({ matches: pieces.size, lines: 1 });
        expect(page!.text.match(/needle/g)!.length).toBeGreaterThanOrEqual(pieces.size);
      }),
      { numRuns: 100 },
    );
  });

  it('shows less of every line where there is little room, and the match in any case', () => {
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

  it('goes on where it stopped for the time it took, and misses nothing', () => {
    const lines = Array.from(
      { length: 120_000 },
      (_, i) => `${i % 10_000 === 9_999 ? 'abbbz' : 'ab'.repeat(20)} ${i}`,
    );
    const pages = found(lines.join('\n'), { pattern: '(a|b)*(a|b){20}b(a|b){20}z|abbbz' });
    expect(numbers(pages, ':')).toEqual(Array.from({ length: 12 }, (_, i) => (i + 1) * 10_000));
    const stopped = pages.filter(({ totals }) => totals.matches === undefined);
    for (const { text, next } of stopped) expect(next !== undefined || text.length > 0).toBe(true);
  });

  it.each(['(a+)+$', '(a|aa)+$', '(.*)*x$', '(a|b|ab)*c', '.*.*.*.*.*=x'])(
    '%s takes no time on what it was made for',
    (pattern) => {
      const began = process.threadCpuUsage();
      const artifact = `${'a'.repeat(1_000_000)}!\n${'ab'.repeat(200)}\n`;
      pagesOf('text/plain', artifact.slice(0, 200_000), { grep: { pattern } });
      const { user, system } = process.threadCpuUsage(began);
      expect((user + system) / 1_000).toBeLessThan(2_000);
    },
  );
});
