import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, sizeOf } from './json.ts';

describe('isJsonObject', () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    [[], false],
    [null, false],
    ['a', false],
    [undefined, false],
  ])('is for %j: %s', (value, expected) => {
    expect(isJsonObject(value)).toBe(expected);
  });
});

describe('sizeOf', () => {
  it.each<[unknown, number, number]>([
    [1, 0, 1],
    [null, 0, 1],
    [[], 1, 1],
    [{}, 1, 1],
    [[1, 2], 1, 3],
    [{ a: [1, { b: 2 }], c: 3 }, 3, 6],
  ])('measures %j: depth %i, nodes %i', (value, depth, nodes) => {
    expect(sizeOf(value)).toEqual({ depth, nodes });
  });

  it('agrees with a recursive measurement', () => {
    const measure = (value: unknown): { depth: number; nodes: number } => {
      if (typeof value !== 'object' || value === null) return { depth: 0, nodes: 1 };
      const below = Object.values(value).map(measure);
      return {
        depth: 1 + Math.max(0, ...below.map(({ depth }) => depth)),
        nodes: below.reduce((sum, { nodes }) => sum + nodes, 1),
      };
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(sizeOf(value)).toEqual(measure(value));
      }),
    );
  });

  it('reads no level below the given depth', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 1_000; i++) deep = [deep, 1];
    expect(sizeOf(deep, 64)).toEqual({ depth: 65, nodes: 131 });
    expect(sizeOf([[1]], 64)).toEqual({ depth: 2, nodes: 3 });
  });

  it('measures a very deep value', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i++) deep = [deep];
    expect(sizeOf(deep)).toEqual({ depth: 200_000, nodes: 200_001 });
  });
});
