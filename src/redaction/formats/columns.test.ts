import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { findCells } from './columns.ts';

const isPassword = (name: string): boolean => name === 'password';
const find = (text: string): string[] =>
  [...findCells(text, isPassword)].map(({ start, end }) => text.slice(start, end));

describe('findCells', () => {
  it('finds every cell that papaparse writes', () => {
    const cell = fc.string({ unit: fc.constantFrom(...'ab5",;\t\n\r |-'), maxLength: 12 });
    const row = fc.tuple(
      cell,
      cell.map((text) => `${text}a`),
      cell,
    );
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        (data, delimiter, newline) => {
          const text = Papa.unparse({ fields: ['id', 'password', 'note'], data }, { delimiter, newline });
          expect(find(text)).toEqual(data.map(([, password]) => password.replaceAll('"', '""')));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['the middle of a cell', 'item,password\na,one\n5" pipe,two\n"b",three'],
    ['the end of a cell', 'item,password\na,one\npipe 5",two\n"b",three'],
    ['the second character of a cell', 'item,password\na,one\n "5 pipe,two\n "b,three'],
  ])('treats a quote at %s as papaparse does', (_, text) => {
    const { data } = Papa.parse<string[]>(text);
    expect(find(text)).toEqual(data.slice(1).map(([, password]) => password));
    expect(find(text)).toEqual(['one', 'two', 'three']);
  });

  it.each([
    ['has text after its closing quote', 'item,password\na,one\n"5" pipe,two\nb,three'],
    ['is never closed', 'item,password\na,one\n"5 pipe,two\nb,three'],
  ])('keeps rows apart where a quoted cell %s', (_, text) => {
    expect(find(text)).toEqual(['one', 'two', 'three']);
  });

  it('leaves out the quotes of a cell that starts with a space', () => {
    expect(find('item,password\na, "one"\nb, "two\nc,three')).toEqual(['one', ' "two', 'three']);
  });

  it('continues after a row of empty cells', () => {
    expect(find('item\tpassword\na\tone\n\t\nb\ttwo')).toEqual(['one', 'two']);
  });

  it('ends a table at an empty line', () => {
    expect(find('item,password\na,one\n\nb,two')).toEqual(['one']);
  });
});
