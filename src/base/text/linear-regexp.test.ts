import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearPattern } from './linear-regexp.ts';
import { expandedSize } from './regexp-size.ts';

describe('a linear pattern', () => {
  it.each([
    ['^a+$', 'aaa', true],
    ['^a+$', 'aab', false],
    ['b', 'abc', true],
    ['^\\d{3}-\\d{4}$', '555-1234', true],
    ['^[\\w.-]+@[\\w.-]+$', 'a.b@c.d', true],
    ['^\\p{L}+$', 'žluť', true],
    ['^(?:a|b)*?c$', 'ababc', true],
    ['^\\u0041$', 'A', true],
    ['', 'anything', true],
    ['^.$', '\n', false],
    ['^$', '', true],
  ])('%s on %j is %s', (source, text, matches) => {
    expect(linearPattern(source)!.test(text)).toBe(matches);
  });

  it.each(['(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', '(', '[', 'a{2,1}', 'x'.repeat(1_001), '(a{1000}){1000}'])(
    'cannot be made of %s',
    (source) => {
      expect(linearPattern(source)).toBeUndefined();
    },
  );

  it('is made once', () => {
    expect(linearPattern('^once$')).toBe(linearPattern('^once$'));
  });

  it('says what a test may cost: little for small ones, more for large ones', () => {
    const small = linearPattern('^[a-z]*$')!;
    const large = linearPattern('a[ab]{900}[cd]')!;
    expect(small.maxTextLength).toBeGreaterThan(1_000_000);
    expect(large.maxTextLength).toBeLessThan(10_000);
    expect(large.microseconds(100)).toBeGreaterThan(small.microseconds(100));
  });

  it('agrees with the engine of the language on what both can hold', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '.', '\\d', '(?:ab)', '(a|b)', 'a*', 'b+', 'a?', 'a{1,3}');
    const source = fc.array(atom, { maxLength: 6 }).map((atoms) => atoms.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', 'é'), maxLength: 12 });
    fc.assert(
      fc.property(source, text, fc.boolean(), (body, subject, anchored) => {
        const pattern = anchored ? `^${body}$` : body;
        expect(linearPattern(pattern)!.test(subject)).toBe(new RegExp(pattern, 'u').test(subject));
      }),
    );
  });
});

describe('the size to which a pattern expands', () => {
  it.each([
    ['abc', 3],
    ['a{100}', 100],
    ['(ab){100}', 200],
    ['(a{10}b){10}', 110],
    ['[abc]{50}', 50],
    ['\\d{50}', 50],
    ['\\p{L}{50}', 50],
    ['[\\]]{50}', 50],
    ['a{2,40}', 40],
    ['a{40,}', 40],
    ['a{,5}', 1],
    ['a{x}', 1],
    ['(((a{10}){10}){10}){10}', 10_000],
    ['', 0],
    ['((((', 0],
    ['))))', 0],
  ])('of %s is %i', (source, size) => {
    expect(expandedSize(source)).toBe(size);
  });

  it('is a number of any text, in no time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab(){}[]\\,*+?^1290pP') }), (source) => {
        expect(expandedSize(source)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
