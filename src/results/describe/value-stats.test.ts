import { describe, expect, it } from 'vitest';
import { ValueStats } from './value-stats.ts';

function describeValues(...values: (string | number | boolean | null)[]): string {
  const all = new ValueStats();
  for (const value of values) all.add(value);
  return all.describe();
}

describe('ValueStats', () => {
  it.each<[string, (string | number | boolean | null)[]]>([
    ['nothing', []],
    ['integer 7', [7, 7]],
    ['integer -2..10', [3, 10, -2]],
    ['number 1..2.5', [1, 2.5]],
    ['"a" ×2 | "b" ×1', ['b', 'a', 'a']],
    ['"a"', ['a']],
    ['true ×2 | false ×1', [true, true, false]],
    ['text, 3 distinct', ['a', 'b', 'c']],
    ['date 2026-01-02..2026-03-01', ['2026-03-01', '2026-01-02']],
    ['date 2026-01-02T10:00:00Z..2026-01-02T11:00:00Z', ['2026-01-02T11:00:00Z', '2026-01-02T10:00:00Z']],
    ['text, 2 distinct', ['2026-03-01', 'soon']],
    ['integer 1 | "x" | null ×2', [1, 'x', null, null]],
    ['null ×1', [null]],
    ['integer 0', [0, -0]],
  ])('describes values as %s', (expected, values) => {
    expect(describeValues(...values)).toBe(expected);
  });

  it('lists few values, counts many, and stops counting at a thousand', () => {
    const names = (count: number): string[] => Array.from({ length: 2 * count }, (_, i) => `n${i % count}`);
    expect(describeValues(...names(8))).toMatch(/^"n0" ×2 \| .*"n7" ×2$/);
    expect(describeValues(...names(9))).toBe('text, 9 distinct');
    expect(describeValues(...names(1_000))).toBe('text, 1000 distinct');
    expect(describeValues(...names(1_001))).toBe('text, over 1000 distinct');
  });

  it('does not list long values', () => {
    expect(describeValues('x'.repeat(65), 'x'.repeat(65))).toBe('text, 1 distinct');
    expect(describeValues('x'.repeat(1e6)).length).toBeLessThan(100);
  });
});
