import { describe, expect, it } from 'vitest';
import { summarizeJson } from './json.ts';

describe('summarizeJson', () => {
  it('shows shape, counts, columns and first rows', () => {
    const document = {
      total: 3,
      done: true,
      next: 'x'.repeat(100),
      items: [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
        { id: 3, name: 'c' },
      ],
    };
    const { text, facts } = summarizeJson(document);
    expect(text(500).split('\n')).toEqual([
      'JSON {total: number, done: boolean, next: string, items: 3 × object}',
      '3 rows at /items',
      'id: integer 1..3',
      'name: text, 3 distinct',
      'row 0: [1,"a"]',
      'row 1: [2,"b"]',
      'row 2: [3,"c"]',
    ]);
    expect(facts).toEqual({
      total: 3,
      done: true,
      format: 'json',
      rows: 3,
      columns: 2,
      rows_at: '/items',
    });
  });

  it.each([
    [null, 'null ×1'],
    [7, 'integer 7'],
    ['x', '"x"'],
    [[], '0 × nothing'],
    [{}, '{}'],
    [{ a: { b: [] } }, '{\n  a: {\n    b: 0 × nothing\n  }\n}'],
    [[1, 2], 'list of 2 rows\nvalue: integer 1..2\nrow 0: [1]\nrow 1: [2]'],
  ])('shows the shape of %j', (document, shape) => {
    expect(summarizeJson(document).text(500)).toBe(`JSON ${shape}`);
  });

  it('keeps to the maximum length', () => {
    const bushy = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`key${i}`, { a: 'x', b: { c: 1 } }]),
    );
    for (const maxLength of [100, 300, 1_000])
      expect(summarizeJson(bushy).text(maxLength).length).toBeLessThanOrEqual(maxLength);
  });
});
