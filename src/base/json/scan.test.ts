import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { skipContainer, skipScalar, skipSpace, skipString, skipValue } from './scan.ts';

describe('skipValue', () => {
  it('returns the index after any JSON value, whatever follows', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(undefined, 2, '\t'),
        fc.constantFrom('', ' ', ',"a"]', '}', '\n{'),
        (value, space, rest) => {
          const text = JSON.stringify(value, null, space);
          expect(skipValue(` ${text}${rest}`, 1)).toBe(1 + text.length);
        },
      ),
    );
  });

  it.each(['', '"a', '"a\\"', '[1', '{"a":"]}', 'x', '+1', '[[]'])('returns undefined for %j', (text) => {
    expect(skipValue(text, 0)).toBeUndefined();
  });
});

describe('skipContainer', () => {
  const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  it('returns undefined where a container is nested deeper than the limit', () => {
    expect(skipContainer(nest(4), 0, { maxDepth: 4 })).toBe(8);
    expect(skipContainer(nest(5), 0, { maxDepth: 4 })).toBeUndefined();
    expect(skipContainer(nest(200_000), 0)).toBe(400_000);
  });

  it('reports the numbers outside of strings with their indexes', () => {
    const numbers: [string, number][] = [];
    skipContainer('[1,"2 \\" 3",{"4":-5e6}, 7-] 8', 0, {
      onNumber: (number, at) => numbers.push([number, at]),
    });
    expect(numbers).toEqual([
      ['1', 1],
      ['-5e6', 17],
      ['7-', 24],
    ]);
  });
});

describe('skipString', () => {
  it('skips escaped quotes', () => {
    expect(skipString('"a\\"b\\\\" "', 0)).toBe(8);
  });
});

describe('skipScalar and skipSpace', () => {
  it('skip only their own part', () => {
    expect(skipScalar('-1.5E+3,2', 0)).toBe(7);
    expect(skipScalar('truex', 0)).toBe(4);
    expect(skipSpace(' \t\r\n\u00a0', 0)).toBe(4);
  });
});
