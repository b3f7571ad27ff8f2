import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, recordsOf } from './csv.ts';

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

describe('the cells of a record', () => {
  it.each([
    ['a,b,c', ['a', 'b', 'c']],
    ['', ['']],
    [',', ['', '']],
    ['"a,b",c', ['a,b', 'c']],
    ['"say ""hi""",x', ['say "hi"', 'x']],
    ['"two\nlines",x', ['two\nlines', 'x']],
    ['a,b\r', ['a', 'b']],
    ['"a","b"\r', ['a', 'b']],
    ['"never closed,x', ['never closed,x']],
  ])('of %j are %j', (record, cells) => {
    expect(cellsOf(record, ',')).toEqual(cells);
  });
});

describe('the records of a table', () => {
  it.each([
    ['a\nb', ['a', 'b']],
    ['a\n\n \r\nb\n', ['a', 'b']],
    ['"a\nb",1\nc', ['"a\nb",1', 'c']],
    ['"a\n\nb",1', ['"a\n\nb",1']],
    ['a "quoted" word\nb', ['a "quoted" word', 'b']],
    ['5" pipe\nb\nc', ['5" pipe', 'b', 'c']],
    ['\ufeffid\n1', ['id', '1']],
    ['', []],
  ])('of %j are %j', (text, records) => {
    expect(recordsOf(text)).toEqual(records);
  });

  it('come back as they were written', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', ',', '\t', '"', '\n', '\r', '1') });
    const row = fc.tuple(cell, cell, cell);
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1 }),
        fc.constantFrom(',', '\t'),
        fc.constantFrom('\n', '\r\n'),
        (rows, separator, end) => {
          const text = rows.map((cells) => cells.map(quote).join(separator)).join(end);
          expect(recordsOf(text).map((record) => cellsOf(record, separator))).toEqual(rows);
        },
      ),
    );
  });
});
