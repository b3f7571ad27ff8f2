import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { expandedSize } from './regexp-size.ts';

/** The instructions of the compiled program; undefined where the pattern does not compile. */
function programSize(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}

describe('expandedSize', () => {
  it.each([
    ['', 3],
    ['abc', 5],
    ['a{100}', 102],
    ['(?:ab){100}', 202],
    ['(ab){500}', 2_002],
    ['(a{10}){10}', 122],
    ['(?:x{10}){10}', 102],
    ['(?:a{10}b){10}', 112],
    ['[abc]{50}', 52],
    ['\\d{50}', 52],
    ['\\p{L}{50}', 52],
    ['[\\]]{50}', 52],
    ['a{20,40}', 62],
    ['a{0}', 3],
    ['a{,5}', 7],
    ['a{x}', 6],
    ['\\{3}', 5],
  ])('is the exact program size of %s: %i', (pattern, size) => {
    expect(expandedSize(pattern)).toBe(size);
    expect(programSize(pattern)).toBe(size);
  });

  it.each([
    ['nested repetitions', '(?:x{50}){50}', 2_502],
    ['deeply nested repetitions', '(((a{10}){10}){10}){10}', 12_222],
    ['a repetition of everything', '(a{1000}){1000}', 1_002_002],
  ])('counts %s that do not compile at all', (_, pattern, size) => {
    expect(programSize(pattern)).toBeUndefined();
    expect(expandedSize(pattern)).toBe(size);
  });

  it.each([
    ['behind a brace that repeats nothing', 'a{b{900}'],
    ['behind an unclosed escape', '\\x{b{900}'],
    ['behind flags', 'a{30}(?i){30}'],
    ['behind an empty quoted run', 'a\\Q\\E{900}'],
    ['of a quoted run', '(?:\\Q[aaaaaaaaaaaaaaaaaaaa]\\E){30}'],
    ['of an empty group', '(){900}'],
    ['of an empty alternative', '(|a){300}'],
    ['with optional copies', '(?:a?){0,300}'],
    ['of an empty loop', '(?:(?:a|)*){200}'],
  ])('misses no repetition %s', (_, pattern) => {
    const size = programSize(pattern);
    if (size !== undefined) expect(expandedSize(pattern)).toBeGreaterThanOrEqual(size);
    expect(expandedSize(pattern)).toBeGreaterThan(500);
  });

  it('is at least the program size of any pattern that compiles', () => {
    const token = fc.constantFrom(
      ...['a', 'b', '.', '^', '$', '\\b', '\\d', '|', '(', ')', '(?:', '(?P<n>', '(?i)', '(?i:', '(?', '\n'],
      ...['{', '}', ',', '2', '{3}', '{2,4}', '{0,3}', '{0}', '{1,}', '{0,}', '{,2}', '*', '+', '?', '*?'],
      ...['[', '[^', ']', '[a-z]', '[[:alpha:]]', '\\]', '\\', '\\Q', '\\E', '\\Qab\\E', '\\x{', '\\x{41}'],
      ...['\\x41', '\\p{', '\\p{L}', '\\pL', '\\P{^L}', '\\u{41}', '😀', '/', '<', '>', ':', '-', 'P'],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), (tokens) => {
        const pattern = tokens.join('');
        expect(expandedSize(pattern)).toBeGreaterThanOrEqual(programSize(pattern) ?? 0);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is at least the program size of deeply nested repetitions', () => {
    const { pattern } = fc.letrec<{ pattern: string; item: string }>((tie) => ({
      item: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom('a', '[ab]', '.', '\\b', ''),
        tie('pattern').map((inner) => `(${inner})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{3}', '{2,4}', '{0,3}', '{0}', '{2,}', '*?'))
          .map(([inner, repetition]) => `(?:${inner})${repetition}`),
      ),
      pattern: fc
        .tuple(fc.array(tie('item'), { maxLength: 3 }), fc.constantFrom('', '|'))
        .map(([items, separator]) => items.join(separator)),
    }));
    fc.assert(
      fc.property(pattern, (nested) => {
        expect(expandedSize(nested)).toBeGreaterThanOrEqual(programSize(nested) ?? 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['[', '\\', '[\\', '{', '{1', '(', '(?<', '(?', '\\Q', '\\p{', ')', '|', 'a{1000}', '(a{9}){9}'])(
    'takes linear time, also for a megabyte of %s',
    (piece) => {
      const began = performance.now();
      const size = expandedSize(piece.repeat(1_000_000 / piece.length));
      expect(size).toBeGreaterThanOrEqual(0);
      expect(performance.now() - began).toBeLessThan(2_000);
    },
  );

  it('stays a number, however deep repetitions are nested', () => {
    expect(expandedSize(`${'('.repeat(2_000)}a${'){1000}'.repeat(2_000)}`)).toBeGreaterThan(1e9);
  });
});
