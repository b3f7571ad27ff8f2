import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import { joinPages, withoutHeader } from '../../../test/results/join-pages.ts';

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const JSON_TYPE = 'application/json';

/** The rows on the pages, without the header that each page repeats. */
function rowsOn(pages: readonly { text: string }[]): unknown[] {
  return pages.flatMap(({ text }) => text.split('\n').slice(1)).map((line) => JSON.parse(line));
}

describe('rows', () => {
  it('returns every row of a list once over all pages', () => {
    const value = fc.oneof(fc.string({ maxLength: 200 }), fc.integer(), fc.constant(null), fc.boolean());
    const row = fc.record({ a: value, b: value, c: value });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 120 }), fc.integer({ min: 1, max: 30 }), (list, end) => {
        const pages = pagesOf(JSON_TYPE, JSON.stringify({ list }), { rows: { path: '/list', end } });
        expect(rowsOn(pages)).toEqual(list.map(({ a, b, c }) => [a, b, c]));
        for (const { totals } of pages) expect(totals.rows).toBe(list.length);
      }),
    );
  });

  it('returns every row of a table once over all pages, with quotes', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', '\t', '"', '\n', ' '), maxLength: 30 });
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 90 });
    fc.assert(
      fc.property(table, fc.boolean(), (rows, tabs) => {
        const separator = tabs ? '\t' : ',';
        const lines = rows.map((cells) => cells.map(quote).join(separator));
        const text = [`x${separator}y`, ...lines].join('\n');
        const type = tabs ? 'text/tab-separated-values' : 'text/csv';
        expect(rowsOn(pagesOf(type, text, { rows: {} }))).toEqual(rows);
      }),
    );
  });

  it('returns a header and the requested columns in that order', () => {
    const list = Array.from({ length: 45 }, (_, i) => ({ id: i, name: `n${i}`, x: null }));
    const pages = pagesOf(JSON_TYPE, JSON.stringify(list), { rows: { columns: ['name', 'id'] } });
    expect(pages).toHaveLength(3);
    expect(pages[0]!.text.startsWith('["name","id"]\n["n0",0]\n')).toBe(true);
    expect(pages[0]!.next).toEqual({ rows: { columns: ['name', 'id'], start: 20, end: 40 } });
    expect(pages[0]!.totals).toEqual({ rows: 45, columns: 3 });
    expect(rowsOn(pages)).toHaveLength(45);
  });

  it('keeps two columns with the same name apart', () => {
    expect(rowsOn(pagesOf('text/csv', 'a,a\n1,2\n3,4', { rows: {} }))).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  it('finds the longest list of a document', () => {
    const document = { few: [1], many: [{ a: 1 }, { a: 2 }] };
    expect(rowsOn(pagesOf(JSON_TYPE, JSON.stringify(document), { rows: {} }))).toEqual([[1], [2]]);
  });

  it('returns at most 8,000 characters per page, however wide the rows are', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 900 }, (_, i) => [`column_number_${i}`, 'v'.repeat(30)]),
    );
    const list = [wide, { column_number_0: 'x'.repeat(100_000) }, wide];
    const pages = pagesOf(JSON_TYPE, JSON.stringify(list), { rows: {} });
    for (const { text } of pages) expect(text.length).toBeLessThanOrEqual(8_000);
    const whole = joinPages(pages, withoutHeader).split('\n');
    expect(whole.map((line) => JSON.parse(line))).toEqual(
      list.map((row) => Object.keys(wide).map((name) => (row as Record<string, string>)[name] ?? null)),
    );
    expect(pages[0]!.text.split('\n')[0]).toMatch(/…$/);
  });

  it('reads the first table of a Markdown text', () => {
    const text = '# T\n\n| a | b |\n|:--|--:|\n| 1 | x \\| y |\n| 2 |\n\n| c |\n|---|\n| 3 |';
    const [page] = pagesOf('text/markdown', text, { rows: {} });
    expect(page!.text).toBe('["a","b"]\n["1","x | y"]\n["2",null]');
    expect(page!.totals).toEqual({ rows: 2, columns: 2 });
  });

  it('returns no rows beyond the end', () => {
    expect(pagesOf(JSON_TYPE, '[1]', { rows: { start: 5 } })).toEqual([
      { text: '["value"]', totals: { rows: 1, columns: 1 } },
    ]);
  });

  it('reads `__proto__` and `toString` as ordinary columns', () => {
    const text = '[{"__proto__":1,"toString":"x"},{"a":2}]';
    expect(pagesOf(JSON_TYPE, text, { rows: {} })[0]!.text).toBe(
      '["__proto__","toString","a"]\n[1,"x",null]\n[null,null,2]',
    );
  });
});
