import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

it('is zero at first, then doubles up to 30 seconds', () => {
  const delays = Array.from({ length: 10 }, (_, failures) => backoffMs(failures, 1));
  expect(delays).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it('is at least half of the full delay, whatever the random number', () => {
  expect(backoffMs(3, 0)).toBe(500);
  expect(backoffMs(100, 0)).toBe(15_000);
  for (let i = 0; i < 100; i++) {
    expect(backoffMs(3)).toBeGreaterThanOrEqual(500);
    expect(backoffMs(3)).toBeLessThanOrEqual(1_000);
  }
});
