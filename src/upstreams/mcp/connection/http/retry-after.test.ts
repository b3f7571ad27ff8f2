import { describe, expect, it } from 'vitest';
import { readRetryAfter } from './retry-after.ts';

describe('readRetryAfter', () => {
  const now = Date.parse('2026-07-28T12:00:00Z');

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['Tue, 28 Jul 2026 12:00:30 GMT', 30_000],
    ['Tue, 28 Jul 2026 11:00:00 GMT', 0],
    ['99999999', 86_400_000],
    ['-5', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    [undefined, undefined],
    [['1', '2'], undefined],
  ])('reads %j as %j ms', (value, expected) => {
    expect(readRetryAfter(value, now)).toBe(expected);
  });
});
