import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv, parseCsvStart } from './csv.ts';

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const SEPARATORS = fc.constantFrom(',', '\t', ';');
const LINE_ENDS = fc.constantFrom('\n', '\r\n');

describe('parseCsv', () => {
  it.each<[string, string[][]]>([
    ['a,b,c', [['a', 'b', 'c']]],
    ['', []],
    [',', [['', '']]],
    [
      'a,,c\n,,\n,b,',
      [
        ['a', '', 'c'],
        ['', '', ''],
        ['', 'b', ''],
      ],
    ],
    ['a\nb', [['a'], ['b']]],
    [
      '\ufeffid,n\n1,2',
      [
        ['id', 'n'],
        ['1', '2'],
      ],
    ],
  ])('splits %j into cells', (text, rows) => {
    expect(parseCsv(text, ',')).toEqual(rows);
  });

  it.each<[string, string[][]]>([
    ['"a,b",c', [['a,b', 'c']]],
    ['"say ""hi""",x', [['say "hi"', 'x']]],
    [
      '"two\nlines",x\ny,z',
      [
        ['two\nlines', 'x'],
        ['y', 'z'],
      ],
    ],
    ['"a\n\nb",1', [['a\n\nb', '1']]],
    [
      '"a" ,"b"  \n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['"a","b"  ', [['a', 'b']]],
    ['"","",""', [['', '', '']]],
  ])('reads the quoted cells of %j', (text, rows) => {
    expect(parseCsv(text, ',')).toEqual(rows);
  });

  it.each<[string, string[][]]>([
    [
      '5" pipe,1\n6" pipe,2',
      [
        ['5" pipe', '1'],
        ['6" pipe', '2'],
      ],
    ],
    [
      'a,5" pipe\nb,"6"" pipe, long"\nc,7"',
      [
        ['a', '5" pipe'],
        ['b', '6" pipe, long'],
        ['c', '7"'],
      ],
    ],
    ['a "quoted" word\nb', [['a "quoted" word'], ['b']]],
    [
      '"Big" Joe,1\n"Tall" Ann,2',
      [
        ['"Big" Joe', '1'],
        ['"Tall" Ann', '2'],
      ],
    ],
    ['"never closed,x', [['"never closed', 'x']]],
    [
      '"a\nb",1,"open,2\n\nc,3',
      [
        ['a\nb', '1', '"open', '2'],
        ['c', '3'],
      ],
    ],
    [
      'a,b\n1,"',
      [
        ['a', 'b'],
        ['1', '"'],
      ],
    ],
  ])('keeps the stray quotes of %j as text', (text, rows) => {
    expect(parseCsv(text, ',')).toEqual(rows);
  });

  it.each<[string, string[][]]>([
    ['a,b\r', [['a', 'b']]],
    ['"a","b"\r', [['a', 'b']]],
    [
      '"a","b"\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\r\nc,d\n"e",f\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ],
    ],
    [
      '"a\r\nb",c\r\nd,e',
      [
        ['a\r\nb', 'c'],
        ['d', 'e'],
      ],
    ],
    ['a\n\n \r\nb\n', [['a'], ['b']]],
    ['"a"\n\n \r\nb\n', [['a'], ['b']]],
  ])('accepts the line ends of %j and drops blank lines', (text, rows) => {
    expect(parseCsv(text, ',')).toEqual(rows);
  });

  it('reads back quoted cells of any content', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', ',', '\t', '"', '\n', '\r', '1') });
    const row = fc.tuple(cell, cell, cell);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), SEPARATORS, LINE_ENDS, (rows, separator, end) => {
        const text = rows.map((cells) => cells.map(quote).join(separator)).join(end);
        expect(parseCsv(text, separator)).toEqual(rows);
      }),
    );
  });

  it('reads back cells that are quoted only where needed, with stray quotes in the others', () => {
    const plain = fc
      .string({ unit: fc.constantFrom('a', 'é', ' ', '"', '1') })
      .filter((text) => !text.startsWith('"'));
    const quoted = fc.string({ unit: fc.constantFrom('a', ',', '\t', ';', '"', '\n', ' ') });
    const cell = fc.oneof(
      plain.map((text) => ({ text, source: text })),
      quoted.map((text) => ({ text, source: quote(text) })),
    );
    const row = fc.tuple(cell, cell, cell);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), SEPARATORS, LINE_ENDS, (rows, separator, end) => {
        const text = rows.map((cells) => cells.map(({ source }) => source).join(separator)).join(end);
        expect(parseCsv(text, separator)).toEqual(rows.map((cells) => cells.map((one) => one.text)));
      }),
    );
  });

  it.each<[string, string]>([
    ['many quotes before many blanks', `a,"${'x"'.repeat(500_000)}${' '.repeat(1_000_000)},\n`],
    ['quoted rows without a separator', `a,b\n${'"x"\n'.repeat(400_000)}`],
    ['a line of quoted cells without an end', `a,b\n${'"x",'.repeat(500_000)}`],
    ['quotes that never close', `a,b\n${'a,"b\n'.repeat(150_000)}`],
    ['an open quote before a very wide row', `a,"${'x,'.repeat(500_000)}`],
    ['an open quote before blank lines', `"${'\n'.repeat(2_000_000)}`],
    ['quotes and blank lines', `"a",b\n${'\n'.repeat(2_000_000)}`],
    ['carriage returns before quotes', 'a\r"'.repeat(300_000)],
  ])('takes time in proportion to the text: %s', (_, text) => {
    const began = process.threadCpuUsage();
    parseCsv(text, ',');
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(2_500);
  });
});

describe('parseCsvStart', () => {
  it.each<[string, string[][]]>([
    [
      'a,b\n1,2\n3,',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2\n3,"four\nfive\nsi',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a,b', []],
  ])('leaves the last row of %j out, which may be cut', (text, rows) => {
    expect(parseCsvStart(text, ',')).toEqual(rows);
  });
});
