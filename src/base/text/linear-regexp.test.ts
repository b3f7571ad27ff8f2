import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateProgramSize, LinearRegexp, LinearRegexpCache } from './linear-regexp.ts';

const LIMITS = { maxLength: 1_000, maxSize: 10_000 };
const compile = (source: string): LinearRegexp | undefined => LinearRegexp.compile(source, LIMITS);

describe('LinearRegexp', () => {
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
  ])('tests %s on %j: %s', (source, text, matches) => {
    expect(compile(source)!.test(text)).toBe(matches);
  });

  it.each(['(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', '(', '[', 'a{2,1}', 'x'.repeat(1_001), '(a{1000}){1000}'])(
    'does not compile %s',
    (source) => {
      expect(compile(source)).toBeUndefined();
    },
  );

  it('matches the whole text or a part of it', () => {
    expect(compile('a|ab')!.matches('ab')).toBe(true);
    expect(compile('a')!.matches('ab')).toBe(false);
    expect(compile('a')!.test('ab')).toBe(true);
  });

  it('ignores case only where that is asked for', () => {
    expect(LinearRegexp.compile('ERROR', { ...LIMITS, ignoreCase: true })!.test('an error')).toBe(true);
    expect(compile('ERROR')!.test('an error')).toBe(false);
  });

  it('finds the matches one after the other, with their groups', () => {
    const regexp = compile('x(\\d)|y(\\d)')!;
    const matcher = regexp.matcher('x1 y2 x3');
    expect(regexp.groupCount).toBe(2);
    expect(matcher.find()).toBe(true);
    expect([matcher.start(), matcher.end(), matcher.start(1), matcher.start(2)]).toEqual([0, 2, 1, -1]);
    expect(matcher.find(4)).toBe(true);
    expect([matcher.start(), matcher.end()]).toEqual([6, 8]);
    expect(matcher.find()).toBe(false);
  });

  it('costs more for a large program than for a small one', () => {
    const small = compile('^[a-z]*$')!;
    const large = compile('a[ab]{900}[cd]')!;
    expect(small.microsecondsPerCharacter).toBeLessThan(0.1);
    expect(large.microsecondsPerCharacter).toBeGreaterThan(10);
  });

  it('agrees with the RegExp of JavaScript on patterns that both support', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '.', '\\d', '(?:ab)', '(a|b)', 'a*', 'b+', 'a?', 'a{1,3}');
    const source = fc.array(atom, { maxLength: 6 }).map((atoms) => atoms.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', 'é'), maxLength: 12 });
    fc.assert(
      fc.property(source, text, fc.boolean(), (body, subject, anchored) => {
        const pattern = anchored ? `^${body}$` : body;
        const expected = new RegExp(pattern, 'u').exec(subject);
        const regexp = compile(pattern)!;
        expect(regexp.test(subject)).toBe(expected !== null);
        expect(regexp.search(subject)).toBe(expected?.index ?? -1);
      }),
    );
  });

  it('takes time in proportion to the text, whatever the pattern', () => {
    const text = 'a'.repeat(100_000);
    const began = performance.now();
    expect(compile('(a+)+$')!.test(`${text}!`)).toBe(false);
    expect(compile('(a|a)*b')!.test(text)).toBe(false);
    expect(compile('(.*)(.*)(.*)(.*)x$')!.test(text)).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe('estimateProgramSize', () => {
  it('measures the pattern in the syntax of the engine', () => {
    expect(estimateProgramSize('\\u0041{5}')).toBe(7);
    expect(estimateProgramSize('\\u{a{900}')).toBeGreaterThan(900);
    expect(estimateProgramSize('\\Q[^]')).toBeGreaterThanOrEqual(19);
  });
});

describe('LinearRegexpCache', () => {
  it('compiles a source once', () => {
    const cache = new LinearRegexpCache({ ...LIMITS, maxEntries: 10 });
    expect(cache.get('^once$')).toBe(cache.get('^once$'));
    expect(cache.get('(?=a)')).toBeUndefined();
    expect(cache.get('(?=a)')).toBeUndefined();
  });

  it('forgets the source that was unused for longest', () => {
    const cache = new LinearRegexpCache({ ...LIMITS, maxEntries: 2 });
    const [first, second] = [cache.get('a'), cache.get('b')];
    cache.get('a');
    cache.get('c');
    expect(cache.get('a')).toBe(first);
    expect(cache.get('b')).not.toBe(second);
  });
});
