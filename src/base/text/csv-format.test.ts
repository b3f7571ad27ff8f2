import { describe, expect, it } from 'vitest';
import { detectSeparator, hasHeader, isTable } from './csv-format.ts';

describe('detectSeparator', () => {
  it.each([
    ['a,b\n1,2\n3,4', ','],
    ['a;b\n1,5;2\n3,5;4', ';'],
    ['1,5;2\n3,5;4\n5,5;6', ';'],
    ['name;note\nx;a, b\ny;c, d', ';'],
    ['prose', ','],
  ])('finds the separator of %j: %s', (text, separator) => {
    expect(detectSeparator(text)).toBe(separator);
  });
});

describe('isTable', () => {
  it.each([
    ['a,b\n1,2\n3,4', true],
    ['item,price\n5" pipe,3\n6" pipe,4', true],
    ['a,b\n1,2', false],
    ['a,b\n1,2,3\n4,5', false],
    ['one\ntwo\nthree', false],
  ])('of %j is %s', (text, expected) => {
    expect(isTable(text, ',')).toBe(expected);
  });

  it('reads only the start of a long text, and leaves a cut row out', () => {
    expect(isTable(`a,b\n${`1,"${'line\n'.repeat(100)}"\n`.repeat(100)}`, ',')).toBe(true);
  });
});

describe('hasHeader', () => {
  it.each([
    ['a,b\n1,2', true],
    [',a,b\n0,1,2', true],
    ['price (EUR),2024\n1,2', true],
    ['1,2\n3,4', false],
    ['a,a\n1,2', false],
    ['a=1,b\n1,2', false],
  ])('of %j is %s', (text, expected) => {
    expect(hasHeader(text, ',')).toBe(expected);
  });
});
