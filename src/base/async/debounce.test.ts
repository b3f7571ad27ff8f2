import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Debouncer } from './debounce.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const options = { quietMs: 200, longestMs: 1_000 };

it('runs once after a burst of calls', async () => {
  const work = vi.fn(async () => {});
  const debouncer = new Debouncer(work, options);
  for (let i = 0; i < 10; i++) {
    debouncer.call();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(work).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(work).toHaveBeenCalledTimes(1);
});

it('runs after longestMs while calls keep coming', async () => {
  const work = vi.fn(async () => {});
  const debouncer = new Debouncer(work, options);
  for (let i = 0; i < 40; i++) {
    debouncer.call();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(work.mock.calls.length).toBeGreaterThanOrEqual(3);
  expect(work.mock.calls.length).toBeLessThanOrEqual(4);
});

it('runs once more when it was called during a run, and never twice at the same time', async () => {
  const running: (() => void)[] = [];
  const work = vi.fn(() => new Promise<void>((resolve) => running.push(resolve)));
  const debouncer = new Debouncer(work, options);
  debouncer.call();
  await vi.advanceTimersByTimeAsync(200);
  debouncer.call();
  debouncer.call();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(1);
  running.shift()?.();
  await vi.advanceTimersByTimeAsync(200);
  expect(work).toHaveBeenCalledTimes(2);
  running.shift()?.();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(2);
});

it('does not run after it was cancelled', async () => {
  const work = vi.fn(async () => {});
  const debouncer = new Debouncer(work, options);
  debouncer.call();
  debouncer.cancel();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).not.toHaveBeenCalled();
});
