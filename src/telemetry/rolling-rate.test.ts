import { describe, expect, it } from 'vitest';
import { RollingRate } from './rolling-rate.ts';

const MINUTE_MS = 60_000;
const NOON = Date.UTC(2026, 0, 1, 12);

describe('RollingRate', () => {
  it('is the share of hits among all counted events', () => {
    const rate = new RollingRate();
    for (const isHit of [true, false, false, true, false]) rate.count(isHit, NOON);
    expect(rate.valueAt(NOON)).toBe(2 / 5);
  });

  it('is undefined without events', () => {
    expect(new RollingRate().valueAt(NOON)).toBeUndefined();
  });

  it('drops events after 15 minutes, minute by minute', () => {
    const rate = new RollingRate();
    rate.count(true, NOON);
    rate.count(false, NOON + MINUTE_MS);
    expect(rate.valueAt(NOON + 14 * MINUTE_MS)).toBe(1 / 2);
    expect(rate.valueAt(NOON + 15 * MINUTE_MS)).toBe(0);
    expect(rate.valueAt(NOON + 16 * MINUTE_MS)).toBeUndefined();
    rate.count(true, NOON + 17 * MINUTE_MS);
    expect(rate.valueAt(NOON + 17 * MINUTE_MS)).toBe(1);
  });

  it('keeps counting when the clock is set back', () => {
    const rate = new RollingRate();
    rate.count(true, NOON);
    rate.count(false, NOON - 5 * MINUTE_MS);
    expect(rate.valueAt(NOON - 5 * MINUTE_MS)).toBe(1 / 2);
    expect(rate.valueAt(NOON + 15 * MINUTE_MS)).toBeUndefined();
  });
});
