import { describe, expect, it } from 'vitest';
import { shapeLines } from './shape.ts';

const shape = (document: unknown): string => shapeLines(document).join('\n');

describe('shapeLines', () => {
  it.each<[unknown, string]>([
    [[], '0 × nothing'],
    [{}, '{}'],
    [[1, 2, 3], '3 × integer 1..3'],
    [[[1], [2, 3]], '2 × 1..2 × integer 1..3'],
    [[[], []], '2 × 0 × nothing'],
    [{ a: null, b: true }, '{\n  a: null ×1\n  b: true\n}'],
    [[{ a: 1 }, { a: 2, b: 'x' }], '2 × {\n  a: integer 1..2\n  b?: "x"\n}'],
    [[{ a: { b: 1 } }, { a: 7 }], '2 × {\n  a: integer 7 | {\n    b: integer 1\n  }\n}'],
    [[1, [2], { c: 3 }], '3 × integer 1 | 1 × integer 2 | {\n  c: integer 3\n}'],
    [{ 'a b': 1, 'x\ny': 2, '': 3 }, '{\n  "a b": integer 1\n  "x\\ny": integer 2\n  "": integer 3\n}'],
  ])('describes %j', (document, lines) => {
    expect(shape(document)).toBe(lines);
  });

  it('lists the values if they are few', () => {
    const rows = Array.from({ length: 90 }, (_, i) => ({ region: ['emea', 'apac'][i % 2], id: `id${i}` }));
    expect(shape(rows)).toBe('90 × {\n  region: "emea" ×45 | "apac" ×45\n  id: text, 90 distinct\n}');
  });

  it('reads `__proto__` as an ordinary member', () => {
    expect(shape(JSON.parse('{"__proto__":{"constructor":1}}'))).toBe(
      '{\n  __proto__: {\n    constructor: integer 1\n  }\n}',
    );
  });

  it('limits width, depth and total size', () => {
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`key${i}`, i]));
    expect(shapeLines(wide)).toHaveLength(63);
    expect(shapeLines(wide).at(-2)).toBe('  … and 4940 more');
    let deep: unknown = 1;
    for (let i = 0; i < 250; i++) deep = { a: deep };
    expect(shape(deep)).toContain('{…}');
    const bushy = Array.from({ length: 60 }, (_, i) => ({
      [`k${i}`]: Object.fromEntries(
        Array.from({ length: 60 }, (_, j) => [
          `j${j}`,
          Object.fromEntries(Array.from({ length: 9 }, (_, l) => [`${l}`, 1])),
        ]),
      ),
    }));
    expect(shapeLines(bushy).length).toBeLessThan(6_000);
  });

  it('states that only the first nodes were read', () => {
    const [first, second] = shapeLines(Array.from({ length: 300_000 }, () => 1));
    expect([first, second]).toEqual(['of the first 200000 nodes:', '300000 × integer 1']);
    expect(shapeLines(Array.from({ length: 199_000 }, () => 1))).toEqual(['199000 × integer 1']);
  });
});
