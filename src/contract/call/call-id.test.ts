import { afterEach, describe, expect, it, vi } from 'vitest';
import { newCallId } from './call-id.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('newCallId', () => {
  it('returns a UUID of version 7 with the current time', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 15) });
    const id = newCallId();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 10, 15));
  });

  it('returns ids that sort by time, over its whole range', () => {
    vi.useFakeTimers({ now: 0 });
    const ids = [0, 1, 15, 16, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 44].map((time) => {
      vi.setSystemTime(time);
      return newCallId();
    });
    expect(ids.toSorted()).toEqual(ids);
  });

  it('never returns the same id twice', () => {
    const ids = Array.from({ length: 10_000 }, newCallId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
