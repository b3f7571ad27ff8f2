import { describe, expect, it } from 'vitest';
import { expandedSize } from '../expanded-size.ts';
import { patternOf } from './pattern.ts';

describe('a pattern', () => {
  it.each([
    ['error', 'an error', true, false],
    ['err.*', 'error', true, true],
    ['^b', 'ab', false, false],
    ['\\d{3}', 'x123', true, false],
    ['(a+)+$', 'aaaa!', false, false],
    ['\\p{Lu}', 'aÉ', true, false],
    ['[^\\]]', ']x', true, false],
  ])('%s on %j', (source, text, test, matches) => {
    const pattern = patternOf(source)!;
    expect([pattern.test(text), pattern.matches(text)]).toEqual([test, matches]);
  });

  it('says where it is', () => {
    expect(patternOf('b+')!.indexIn('aabb')).toBe(2);
    expect(patternOf('x')!.indexIn('aabb')).toBe(0);
  });

  it('may be blind to case', () => {
    expect(patternOf('ERROR', { ignoreCase: true })!.test('an error')).toBe(true);
    expect(patternOf('ERROR')!.test('an error')).toBe(false);
  });

  it.each([
    ['open', '('],
    ['looking ahead', 'a(?=b)'],
    ['looking behind', '(?<=a)b'],
    ['referring back', '(a)\\1'],
    ['a hundred kilobytes long', 'a'.repeat(100_000)],
    ['repeated without end', '(((a{30}){30}){30}){30}'],
    ['repeated wide', `(${'a'.repeat(150)}){900}`],
    ['repeated side by side', 'a{900}'.repeat(70)],
  ])('is none that is %s', (_, source) => {
    const began = performance.now();
    expect(patternOf(source)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(500);
  });

  it('takes time in proportion to the text, whatever it is', () => {
    const text = 'a'.repeat(100_000);
    const began = performance.now();
    expect(patternOf('(a+)+$')!.test(`${text}!`)).toBe(false);
    expect(patternOf('(a|a)*b')!.test(text)).toBe(false);
    expect(patternOf('(.*)(.*)(.*)(.*)x$')!.test(text)).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe('the size of a pattern', () => {
  it.each([
    ['abc', 3],
    ['(ab){500}', 1_000],
    ['a{3}b', 4],
    ['((ab){10}){10}', 200],
    ['[a-z]{2,40}', 40],
    ['\\p{L}{5}', 5],
    ['\\{3}', 3],
    ['(a{20}', 20],
    ['', 0],
  ])('of %s is about %i', (source, size) => {
    expect(expandedSize(source)).toBeGreaterThanOrEqual(size);
    expect(expandedSize(source)).toBeLessThanOrEqual(size * 1.2 + 2);
  });
});
