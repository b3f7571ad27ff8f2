import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOGS } from '../../../test/results/logs.ts';
import { detectTextKind } from './text-kind.ts';

const typeOf = (text: string): string => detectTextKind(text).mediaType;
const lines = (line: (index: number) => string): string =>
  Array.from({ length: 300 }, (_, i) => line(i)).join('\n');

describe('detectTextKind', () => {
  it.each([
    ['{"a":1}', 'application/json'],
    [' \n[1,2]\n', 'application/json'],
    ['{"a":1} trailing', 'text/plain'],
    ['{not json}', 'text/plain'],
    ['"just a string"', 'text/plain'],
    ['', 'text/plain'],
    ['a,b\n1,2\n3,4', 'text/csv'],
    ['a,b\r\n1,2\r\n3,4\r\n', 'text/csv'],
    ['a\tb\n1\t2\n3\t4', 'text/tab-separated-values'],
    ['a,b\tc\n1,2\t3\n4,5\t6', 'text/tab-separated-values'],
    ['name,"a, b"\nx,"1, 2"\ny,"3\n4"', 'text/csv'],
    ['a;b\n1,5;2\n3,5;4', 'text/csv'],
    [',a,b\n0,1,2\n1,3,4', 'text/csv'],
    ['price (EUR),2024,2025\n1,2,3\n4,5,6', 'text/csv'],
    ['id,at,level\n1,2026-03-01 12:00:00,INFO\n2,2026-03-01 12:00:01,ERROR', 'text/csv'],
    ['a,b\n1,2', 'text/plain'],
    ['1,2\n3,4\n5,6', 'text/plain'],
    ['a,a\n1,2\n3,4', 'text/plain'],
    ['one,\ntwo,\nthree,', 'text/plain'],
    ['\tone\n\ttwo\n\tthree', 'text/plain'],
    ['{"a":1}\n{"a":2}', 'application/x-ndjson'],
    ['{"a":1}\r\n\r\n{"a":{"b":[2]}}\r\n', 'application/x-ndjson'],
    ['{"a":1}\n[2]', 'text/plain'],
    ['{"a":1}\nprose', 'text/plain'],
    ['1\n2', 'text/plain'],
    ['a,b\n1,2,3\n4,5', 'text/plain'],
    ['one line of prose, with a comma', 'text/plain'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'text/markdown'],
    ['a | b\n:-- | --:\n1 | 2', 'text/markdown'],
    ['a | b\nc | d', 'text/plain'],
    ['Dear all,\n\nthis is prose, and more,\nnot a table.\nBye,\nme', 'text/plain'],
  ])('detects %j as %s', (text, type) => {
    expect(typeOf(text)).toBe(type);
  });

  it('detects a table by its first rows, even if the last of them is cut', () => {
    expect(typeOf(`a,b\n${'1,"x, y"\n'.repeat(10_000)}`)).toBe('text/csv');
    expect(typeOf(`a,b\n${`1,"${'x'.repeat(4_000)}"\n`.repeat(10)}`)).toBe('text/csv');
  });

  it('detects no document that is too deep or too long to be parsed', () => {
    expect(typeOf(`${'['.repeat(200)}${']'.repeat(200)}`)).toBe('application/json');
    expect(typeOf(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBe('text/plain');
    expect(typeOf(`["${'['.repeat(10_000)}\\"${'{'.repeat(10_000)}"]`)).toBe('application/json');
    expect(typeOf(`[${'1,'.repeat(5_000_000)}1]`)).toBe('text/plain');
  });

  it.each(Object.keys(LOGS))('does not take a log for a table: %s', (name) => {
    expect(typeOf(LOGS[name]!.text)).toBe(name.includes('JSON') ? 'application/x-ndjson' : 'text/plain');
  });

  it.each<[string, (index: number) => string]>([
    ['prose', (i) => `When item ${i} came, we took it and went on.`],
    ['prose with thousands', (i) => `${i},000 people came`],
    ['calls', (i) => `    add_row(table_${i}, value_${i})`],
    ['calls without spaces', (i) => `add_row(table_${i},value_${i})`],
    ['assignments', (i) => `a${i} = [b,c]`],
    ['imports', (i) => `import { a${i}, b } from 'c';`],
    ['YAML', (i) => `item_${i}: { a: 1, b: 2 }`],
    ['YAML lists', (i) => `- name: x${i}, y`],
    ['indented code', (i) => `\tx${i} := y`],
  ])('does not take text with a separator in every line for a table: %s', (_, line) => {
    expect(typeOf(lines(line))).toBe('text/plain');
  });

  it('detects JSON lines by the first twenty, and keeps later invalid lines as text', () => {
    const rows = lines((i) => `{"id":${i}}`);
    const { mediaType, document } = detectTextKind(`${rows}\ncut off {"id":`);
    expect(mediaType).toBe('application/x-ndjson');
    expect((document as unknown[]).length).toBe(301);
    expect((document as unknown[]).slice(299)).toEqual([{ id: 299 }, 'cut off {"id":']);
  });

  it('detects a kind for any text, with the document if it is JSON', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.constantFrom(
        '\n',
        ',',
        ';',
        '\t',
        '"',
        '{',
        '[',
        '|',
        '-',
        '12:00:00',
        ' INFO ',
        '\ud800',
        '9'.repeat(20),
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom('', '\n'), (pieces, glue) => {
        const { mediaType, document } = detectTextKind(pieces.join(glue));
        expect(mediaType).toMatch(/^(?:application|text)\/[\w-]+$/);
        expect(document !== undefined).toBe(/json$/.test(mediaType));
      }),
      { numRuns: 2_000 },
    );
  });
});
