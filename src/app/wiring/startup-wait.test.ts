import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitForStartup } from './startup-wait.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new Promise<void>(() => {});

/** How many milliseconds the wait took; undefined where it has not ended after a minute. */
async function waited(
  settled: Promise<unknown>,
  bounds?: Parameters<typeof waitForStartup>[1],
): Promise<number | undefined> {
  const began = Date.now();
  let ended: number | undefined;
  void waitForStartup(settled, bounds).then(() => {
    ended = Date.now() - began;
  });
  await vi.advanceTimersByTimeAsync(60_000);
  return ended;
}

describe('waitForStartup', () => {
  it('waits until the upstreams have settled', async () => {
    expect(await waited(new Promise((resolve) => setTimeout(resolve, 300)))).toBe(300);
    expect(await waited(Promise.resolve())).toBe(0);
  });

  it('waits ten seconds at most', async () => {
    expect(await waited(never)).toBe(10_000);
  });

  it('waits no longer than the deadline of the caller', async () => {
    expect(await waited(never, { deadline: Date.now() + 200 })).toBe(200);
    expect(await waited(never, { deadline: Date.now() - 200 })).toBe(0);
    expect(await waited(never, { deadline: Date.now() + 30_000 })).toBe(10_000);
  });

  it('stops waiting when the caller cancels', async () => {
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), 70);
    expect(await waited(never, { signal: leaving.signal })).toBe(70);
    expect(await waited(never, { signal: leaving.signal })).toBe(0);
  });

  it('leaves no timer behind', async () => {
    await waitForStartup(Promise.resolve(), { deadline: Date.now() + 5_000 });
    expect(vi.getTimerCount()).toBe(0);
  });
});
