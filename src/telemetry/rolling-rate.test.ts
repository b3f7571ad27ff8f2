import { describe, expect, it } from 'vitest';
import { RollingRate } from './rolling-rate.ts';

const MINUTE_MS = 60_000;
const NOON = Date.UTC(2026, 0, 1, 12);

describe('a recent share', () => {
  it('is of what was counted', () => {
    const share = new RollingRate();
    for (const isHit of [true, false, false, true, false]) share.count(isHit, NOON);
    expect(share.at(NOON)).toBe(2 / 5);
  });

  it('is nothing where there was nothing', () => {
    expect(new RollingRate().at(NOON)).toBeUndefined();
  });

  it('forgets a quarter of an hour later, minute by minute', () => {
    const share = new RollingRate();
    share.count(true, NOON);
    share.count(false, NOON + MINUTE_MS);
    expect(share.at(NOON + 14 * MINUTE_MS)).toBe(1 / 2);
    expect(share.at(NOON + 15 * MINUTE_MS)).toBe(0);
    expect(share.at(NOON + 16 * MINUTE_MS)).toBeUndefined();
    share.count(true, NOON + 17 * MINUTE_MS);
    expect(share.at(NOON + 17 * MINUTE_MS)).toBe(1);
  });

  it('loses nothing when the clock is set back', () => {
    const share = new RollingRate();
    share.count(true, NOON);
    share.count(false, NOON - 5 * MINUTE_MS);
    expect(share.at(NOON - 5 * MINUTE_MS)).toBe(1 / 2);
    expect(share.at(NOON + 15 * MINUTE_MS)).toBeUndefined();
  });
});
