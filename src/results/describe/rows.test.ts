import { describe, expect, it } from 'vitest';
import { type Rows, rowsOfJson, rowsOfList, rowsOfText } from './rows.ts';

function all(rows: Rows | undefined): unknown {
  return rows && [rows.columns, ...Array.from({ length: rows.length }, (_, index) => rows.row(index))];
}

describe('rowsOfList', () => {
  it.each<[string, unknown[], unknown[]]>([
    [
      'objects of one kind',
      [
        { a: 1, b: 2 },
        { b: 3, a: 4 },
      ],
      [
        ['a', 'b'],
        [1, 2],
        [4, 3],
      ],
    ],
    [
      'objects with gaps',
      [{ a: 1 }, { b: 2 }],
      [
        ['a', 'b'],
        [1, null],
        [null, 2],
      ],
    ],
    ['plain values', [1, 'x', null], [['value'], [1], ['x'], [null]]],
    ['mixed values', [{ a: 1 }, 7], [['value'], [{ a: 1 }], [7]]],
    ['empty objects', [{}, {}], [['value'], [{}], [{}]]],
    ['lists', [[1], [2]], [['value'], [[1]], [[2]]]],
    ['nothing', [], [['value']]],
  ])('reads %s', (_, list, expected) => {
    expect(all(rowsOfList(list, ''))).toEqual(expected);
  });

  it('includes a column that only the last row has', () => {
    const list = [...Array.from({ length: 500 }, () => ({ a: 1 })), { late: 1 }];
    expect(rowsOfList(list, '').columns).toEqual(['a', 'late']);
  });

  it('returns whole items if the rows have too many different keys', () => {
    const list = Array.from({ length: 2_000 }, (_, i) => ({ [`k${i}`]: i }));
    const rows = rowsOfList(list, '');
    expect(rows.columns).toEqual(['value']);
    expect(rows.row(1_999)).toEqual([{ k1999: 1_999 }]);
  });

  it('reads `__proto__` as an ordinary column', () => {
    const rows = rowsOfList([JSON.parse('{"__proto__":1,"a":2}'), { a: 3 }], '');
    expect(all(rows)).toEqual([
      ['__proto__', 'a'],
      [1, 2],
      [null, 3],
    ]);
  });
});

describe('rowsOfJson', () => {
  it('reads the document itself or its longest list, with the pointer to it', () => {
    expect(rowsOfJson([1])).toMatchObject({ at: '', length: 1 });
    expect(rowsOfJson({ a: [1], 'b/~': [1, 2], c: 3 })).toMatchObject({ at: '/b~1~0', length: 2 });
  });

  it.each([{}, { a: 1 }, 'text', 7, null])('returns undefined for %j', (document) => {
    expect(rowsOfJson(document)).toBeUndefined();
  });
});

describe('rowsOfText', () => {
  it('takes the first row of CSV or TSV as the header', () => {
    expect(all(rowsOfText('a,b\n1,"2,3"\n4\n', 'text/csv'))).toEqual([['a', 'b'], ['1', '2,3'], ['4']]);
    expect(all(rowsOfText('a\tb\r\n1\t2\r\n', 'text/tab-separated-values'))).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
    expect(all(rowsOfText('', 'text/csv'))).toEqual([['']]);
  });

  it('keeps rows apart when a cell has a stray quote', () => {
    expect(all(rowsOfText('item,price\n5" pipe,3\n6" pipe,4\n7" pipe,5', 'text/csv'))).toEqual([
      ['item', 'price'],
      ['5" pipe', '3'],
      ['6" pipe', '4'],
      ['7" pipe', '5'],
    ]);
  });

  it('reads the first Markdown table', () => {
    expect(all(rowsOfText('text\n\n| a |\n|---|\n| 1 |', 'text/markdown'))).toEqual([['a'], ['1']]);
    expect(rowsOfText('text', 'text/markdown')).toBeUndefined();
  });
});
