import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeToken, parsePointer, valueAt, valueAtFragment } from './pointer.ts';

/** RFC 6901, section 5. */
const SAMPLE = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('parsePointer', () => {
  it.each([
    ['', []],
    ['/', ['']],
    ['/a//b', ['a', '', 'b']],
    ['/a~1b/~0/~01', ['a/b', '~', '~1']],
  ])('reads %j as %j', (pointer, names) => {
    expect(parsePointer(pointer)).toEqual(names);
  });

  it.each(['a', 'a/b', '#/a', ' /a'])('refuses %j', (pointer) => {
    expect(parsePointer(pointer)).toBeUndefined();
  });

  it('reads back any names that were escaped', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '~', '/', '0', '1', '%', 'é', '😀') });
    fc.assert(
      fc.property(fc.array(name), (names) => {
        expect(parsePointer(names.map((each) => `/${escapeToken(each)}`).join(''))).toEqual(names);
      }),
    );
  });
});

describe('valueAt', () => {
  it.each([
    ['', SAMPLE],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('finds %j of the sample of RFC 6901', (pointer, value) => {
    expect(valueAt(SAMPLE, pointer)).toEqual(value);
  });

  it('reads a single slash as the whole document', () => {
    expect(valueAt(SAMPLE, '/')).toBe(SAMPLE);
  });

  it.each(['/none', '/foo/2', '/foo/-', '/foo/01', '/foo/1.0', '/foo/', '/foo/length', '/foo/0/0', 'foo'])(
    'finds nothing at %j',
    (pointer) => {
      expect(valueAt(SAMPLE, pointer)).toBeUndefined();
    },
  );

  it('finds own members alone', () => {
    expect(valueAt({}, '/constructor')).toBeUndefined();
    expect(valueAt({}, '/__proto__')).toBeUndefined();
    expect(valueAt(JSON.parse('{"__proto__":1}'), '/__proto__')).toBe(1);
  });

  it('finds every value of any document', () => {
    const walk = (document: unknown, node: unknown, pointer: string): void => {
      if (pointer !== '/') expect(valueAt(document, pointer)).toBe(node);
      if (typeof node !== 'object' || node === null) return;
      for (const [key, member] of Object.entries(node))
        walk(document, member, `${pointer}/${escapeToken(key)}`);
    };
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), (document) => walk(document, document, '')));
  });
});

describe('valueAtFragment', () => {
  it.each([
    ['#', SAMPLE],
    ['#/foo/1', 'baz'],
    ['#/', 0],
    ['#/a~1b', 1],
    ['#/c%25d', 2],
    ['#/e%5Ef', 3],
    ['#/k%22l', 6],
    ['#/%20', 7],
    ['#/m~0n', 8],
    ['#/m%7E0n', 8],
    ['#/c%d', 2],
  ])('finds %j of the sample of RFC 6901', (reference, value) => {
    expect(valueAtFragment(SAMPLE, reference)).toEqual(value);
  });

  it.each(['', '/foo', '#foo', 'https://x.example/#/foo', '#/none'])('finds nothing at %j', (reference) => {
    expect(valueAtFragment(SAMPLE, reference)).toBeUndefined();
  });

  it('finds any member by its encoded name', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const reference = `#/${encodeURIComponent(escapeToken(name.toWellFormed()))}`;
        expect(valueAtFragment(Object.fromEntries([[name.toWellFormed(), 1]]), reference)).toBe(1);
      }),
    );
  });
});
