import { describe, expect, it } from 'vitest';
import { type Rows, rowsOfList, rowsOfText } from '../describe/rows.ts';
import { summarizeTable } from './table.ts';

const csvRows = (text: string): Rows => rowsOfText(text, 'text/csv')!;

describe('summarizeTable', () => {
  it('shows the columns with their values, and the first rows', () => {
    const { text, facts } = summarizeTable(csvRows('a,b,c\n1,x,007\n3,,y\n5,x,\n7,z,y'));
    expect(text(500).split('\n')).toEqual([
      'table of 4 rows, 3 columns',
      'a: integer 1..7',
      'b: "x" ×2 | "z" ×1 | null ×1',
      'c: "y" ×2 | "007" ×1 | null ×1',
      'row 0: ["1","x","007"]',
      'row 1: ["3","","y"]',
      'row 2: ["5","x",""]',
    ]);
    expect(facts).toEqual({ format: 'table', rows: 4, columns: 3 });
  });

  it('always includes the first row', () => {
    const row = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`column${i}`, i]));
    const lines = summarizeTable(rowsOfList([row, row], ''))
      .text(400)
      .split('\n');
    expect(lines[1]).toBe('column0: integer 0');
    expect(lines.at(-1)).toMatch(/^row 0: \[0,1,2/);
    expect(lines.join('\n').length).toBeLessThanOrEqual(400);
  });

  it('counts further columns, and describes only the first rows of a very long table', () => {
    const wide = csvRows(`${Array.from({ length: 100 }, (_, i) => `c${i}`).join(',')}\n1\n2`);
    expect(summarizeTable(wide).text(10_000)).toContain('… and 60 more columns');
    const long = rowsOfList(
      Array.from({ length: 150_000 }, (_, i) => ({ a: i, b: 1 })),
      '',
    );
    expect(summarizeTable(long).text(500).split('\n').slice(0, 3)).toEqual([
      'table of 150000 rows, 2 columns',
      'in the first 100000 rows:',
      'a: integer 0..99999',
    ]);
  });

  it('counts lists and objects by their kind', () => {
    const rows = rowsOfList(
      [
        { a: [1, 2], b: { c: 1 } },
        { a: [3, 4], b: {} },
      ],
      '',
    );
    expect(summarizeTable(rows).text(500)).toContain('a: "list of 2" ×2\nb: "object" ×2');
  });
});
