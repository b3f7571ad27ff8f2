import { describe, expect, it } from 'vitest';
import { rowsOfTable } from '../rows.ts';
import { shapeOf, summarizeJson } from './json.ts';
import { summarizeTable } from './table.ts';
import { summarizeText } from './text.ts';

describe('a summary of a document', () => {
  it('is its shape, its counts and its first rows', () => {
    const document = {
      total: 3,
      done: true,
      next: 'x'.repeat(100),
      items: [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
        { id: 3, name: 'c' },
      ],
    };
    expect(summarizeJson(document)).toEqual({
      text: 'JSON {total: number, done: boolean, next: string, items: 3 × object}\nrow 0: [1,"a"]\nrow 1: [2,"b"]',
      facts: { total: 3, done: true, format: 'json', rows: 3, columns: ['id', 'name'], rows_at: '/items' },
    });
  });

  it.each([
    [null, 'null'],
    [7, 'number'],
    ['x', 'string'],
    [[], '0 × nothing'],
    [{}, '{}'],
  ])('of %j is a shape', (document, shape) => {
    expect(summarizeJson(document).text.split('\n')[0]).toBe(`JSON ${shape}`);
  });

  it('has a shape of bounded width and depth', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`${'k'.repeat(100)}${i}`, { a: { b: 1 } }]),
    );
    expect(shapeOf(wide, 0)).toMatch(/, … 50 keys}$/);
    expect(shapeOf(wide, 0).length).toBeLessThan(2_000);
    let deep: unknown = 1;
    for (let i = 0; i < 5_000; i++) deep = i % 2 ? [deep] : { a: deep };
    expect(shapeOf(deep, 0).length).toBeLessThan(100);
  });
});

describe('a summary of a table', () => {
  it('is its header and its first rows', () => {
    expect(summarizeTable(rowsOfTable('a,b\n1,2\n3,4\n5,6\n7,8', ','))).toEqual({
      text: 'table of 4 rows, 2 columns\n["a","b"]\n["1","2"]\n["3","4"]\n["5","6"]',
      facts: { format: 'table', rows: 4, columns: ['a', 'b'] },
    });
  });
});

describe('a summary of a text', () => {
  it('is the beginning of prose', () => {
    const text = Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n');
    expect(summarizeText(text)).toEqual({
      text: 'text of 20 lines\nline 0\nline 1\nline 2\nline 3\nline 4\nline 5',
      facts: { format: 'text', lines: 20, characters: text.length },
    });
  });

  it('is the errors and the end of a log', () => {
    const lines = Array.from(
      { length: 100 },
      (_, i) => `12:00:${String(i % 60).padStart(2, '0')} INFO step ${i}`,
    );
    lines[41] = '12:00:41 ERROR it broke';
    lines.push('', '');
    const { text, facts } = summarizeText(lines.join('\n'));
    expect(text.split('\n')).toEqual([
      'log of 102 lines',
      'errors:',
      '42: 12:00:41 ERROR it broke',
      'end:',
      ...lines.slice(96, 100),
    ]);
    expect(facts).toMatchObject({ format: 'log', lines: 102, error_lines: 1 });
  });

  it('says so where a log has no errors', () => {
    const log = Array.from({ length: 30 }, () => '[info] all is well').join('\n');
    expect(summarizeText(log).text).toContain('no line looks like an error');
  });

  it('cuts lines without end, and is done in no time', () => {
    const began = performance.now();
    expect(summarizeText('x'.repeat(50_000_000)).text.length).toBeLessThan(300);
    expect(summarizeText(`${'12:00:00 error '.repeat(1_000)}\n`.repeat(400)).text.length).toBeLessThan(3_000);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
