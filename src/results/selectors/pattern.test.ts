import { describe, expect, it } from 'vitest';
import { compilePattern } from './pattern.ts';

describe('compilePattern', () => {
  it.each([
    ['error', 'an error', true, false],
    ['err.*', 'error', true, true],
    ['^b', 'ab', false, false],
    ['\\d{3}', 'x123', true, false],
    ['(a+)+$', 'aaaa!', false, false],
    ['\\p{Lu}', 'aÉ', true, false],
    ['[^\\]]', ']x', true, false],
  ])('compiles %s, which runs on %j', (source, text, test, matches) => {
    const pattern = compilePattern(source)!;
    expect([pattern.test(text), pattern.matches(text)]).toEqual([test, matches]);
  });

  it('finds where the first match starts', () => {
    expect(compilePattern('b+')!.search('aabb')).toBe(2);
    expect(compilePattern('x')!.search('aabb')).toBe(-1);
  });

  it('ignores case on request', () => {
    expect(compilePattern('ERROR', { ignoreCase: true })!.test('an error')).toBe(true);
    expect(compilePattern('ERROR')!.test('an error')).toBe(false);
  });

  it.each([
    ['unclosed', '('],
    ['with a look-ahead', 'a(?=b)'],
    ['with a look-behind', '(?<=a)b'],
    ['with a back-reference', '(a)\\1'],
    ['of a hundred kilobytes', 'a'.repeat(100_000)],
    ['with nested repetitions', '(((a{30}){30}){30}){30}'],
    ['with a repeated long group', `(${'a'.repeat(150)}){900}`],
    ['with many repetitions side by side', 'a{900}'.repeat(70)],
  ])('refuses a pattern %s, in little time', (_, source) => {
    const began = performance.now();
    expect(compilePattern(source)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(500);
  });

  it('takes time in proportion to the text, whatever the pattern', () => {
    const text = 'a'.repeat(100_000);
    const began = performance.now();
    expect(compilePattern('(a+)+$')!.test(`${text}!`)).toBe(false);
    expect(compilePattern('(a|a)*b')!.test(text)).toBe(false);
    expect(compilePattern('(.*)(.*)(.*)(.*)x$')!.test(text)).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
