import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import { joined, withoutHeader } from '../../../test/results/joined.ts';

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const JSON_TYPE = 'application/json';

/** What the pages show, without the header that each repeats. */
function shown(pages: readonly { text: string }[]): unknown[] {
  return pages.flatMap(({ text }) => text.split('\n').slice(1)).map((line) => JSON.parse(line));
}

describe('rows', () => {
  it('of a list read to their end give every row once', () => {
    const value = fc.oneof(fc.string({ maxLength: 200 }), fc.integer(), fc.constant(null), fc.boolean());
    const row = fc.record({ a: value, b: value, c: value });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 120 }), fc.integer({ min: 1, max: 30 }), (list, end) => {
        const pages = pagesOf(JSON_TYPE, JSON.stringify({ list }), { rows: { path: '/list', end } });
        expect(shown(pages)).toEqual(list.map(({ a, b, c }) => [a, b, c]));
        for (const { totals } of pages) expect(totals.rows).toBe(list.length);
      }),
    );
  });

  it('of a table read to their end give every row once, quotes and all', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', '\t', '"', '\n', ' '), maxLength: 30 });
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 90 });
    fc.assert(
      fc.property(table, fc.boolean(), (rows, tabs) => {
        const separator = tabs ? '\t' : ',';
        const lines = rows.map((cells) => cells.map(quote).join(separator));
        const text = [`x${separator}y`, ...lines].join('\n');
        const type = tabs ? 'text/tab-separated-values' : 'text/csv';
        expect(shown(pagesOf(type, text, { rows: {} }))).toEqual(rows);
      }),
    );
  });

  it('have a header, and the columns that were asked for, in that order', () => {
    const list = Array.from({ length: 45 }, (_, i) => ({ id: i, name: `n${i}`, x: null }));
    const pages = pagesOf(JSON_TYPE, JSON.stringify(list), { rows: { columns: ['name', 'id'] } });
    expect(pages).toHaveLength(3);
    expect(pages[0]!.text.startsWith('["name","id"]\n["n0",0]\n')).toBe(true);
    expect(pages[0]!.next).toEqual({ rows: { columns: ['name', 'id'], start: 20, end: 40 } });
    expect(pages[0]!.totals).toEqual({ rows: 45, columns: 3 });
    expect(shown(pages)).toHaveLength(45);
  });

  it('keep two columns of one name apart', () => {
    expect(shown(pagesOf('text/csv', 'a,a\n1,2\n3,4', { rows: {} }))).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  it('find the longest list of a document by themselves', () => {
    const document = { few: [1], many: [{ a: 1 }, { a: 2 }] };
    expect(shown(pagesOf(JSON_TYPE, JSON.stringify(document), { rows: {} }))).toEqual([[1], [2]]);
  });

  it('take no more than a page, however wide they are', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 900 }, (_, i) => [`column_number_${i}`, 'v'.repeat(30)]),
    );
    const list = [wide, { column_number_0: 'x'.repeat(100_000) }, wide];
    const pages = pagesOf(JSON_TYPE, JSON.stringify(list), { rows: {} });
    for (const { text } of pages) expect(text.length).toBeLessThanOrEqual(8_000);
    const whole = joined(pages, withoutHeader).split('\n');
    expect(whole.map((line) => JSON.parse(line))).toEqual(
      list.map((row) => Object.keys(wide).map((name) => (row as Record<string, string>)[name] ?? null)),
    );
    expect(pages[0]!.text.split('\n')[0]).toMatch(/…$/);
  });

  it('of a Markdown text are those of its first table', () => {
    const text = '# T\n\n| a | b |\n|:--|--:|\n| 1 | x \\| y |\n| 2 |\n\n| c |\n|---|\n| 3 |';
    const [page] = pagesOf('text/markdown', text, { rows: {} });
    expect(page!.text).toBe('["a","b"]\n["1","x | y"]\n["2",null]');
    expect(page!.totals).toEqual({ rows: 2, columns: 2 });
  });

  it('beyond the end are none', () => {
    expect(pagesOf(JSON_TYPE, '[1]', { rows: { start: 5 } })).toEqual([
      { text: '["value"]', totals: { rows: 1, columns: 1 } },
    ]);
  });

  it('have names that every object has, and only their own', () => {
    const text = '[{"__proto__":1,"toString":"x"},{"a":2}]';
    expect(pagesOf(JSON_TYPE, text, { rows: {} })[0]!.text).toBe(
      '["__proto__","toString","a"]\n[1,"x",null]\n[null,null,2]',
    );
  });
});
