import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from './glob.ts';

describe('compileGlob', () => {
  it.each([
    ['files:read', ['files:read'], ['files:read_all', 'files:rea', 'Files:read', '']],
    ['files:delete_*', ['files:delete_', 'files:delete_all'], ['files:delete', 'my-files:delete_all']],
    ['*:delete_*', ['a:delete_b', ':delete_'], ['a:b', 'delete_b']],
    ['a*a', ['aa', 'aba', 'aaa'], ['a', 'ab']],
    ['*ab*ab*', ['abab', 'xabyabz'], ['ab', 'aab', 'aba']],
    ['*', ['', 'anything'], []],
    ['a.b?', ['a.b?'], ['axbc', 'a.bc']],
  ])('%s', (pattern, matching, others) => {
    const matches = compileGlob(pattern);
    expect(matching.filter((text) => !matches(text))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  });

  it('agrees with a regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', ':', '*'), maxLength: 8 });
    fc.assert(
      fc.property(letters, letters, (pattern, text) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's').test(text);
        expect(compileGlob(pattern)(text)).toBe(expected);
      }),
    );
  });
});
