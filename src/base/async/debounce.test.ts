import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Debouncer } from './debounce.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pace = { quietMs: 200, longestMs: 1_000 };

it('works once after a burst', async () => {
  const work = vi.fn(async () => {});
  const quiet = new Debouncer(work, pace);
  for (let i = 0; i < 10; i++) {
    quiet.call();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(work).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(work).toHaveBeenCalledTimes(1);
});

it('is not put off for ever', async () => {
  const work = vi.fn(async () => {});
  const quiet = new Debouncer(work, pace);
  for (let i = 0; i < 40; i++) {
    quiet.call();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(work.mock.calls.length).toBeGreaterThanOrEqual(3);
  expect(work.mock.calls.length).toBeLessThanOrEqual(4);
});

it('works once more when it was called while it worked, and never twice at a time', async () => {
  const running: (() => void)[] = [];
  const work = vi.fn(() => new Promise<void>((resolve) => running.push(resolve)));
  const quiet = new Debouncer(work, pace);
  quiet.call();
  await vi.advanceTimersByTimeAsync(200);
  quiet.call();
  quiet.call();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(1);
  running.shift()?.();
  await vi.advanceTimersByTimeAsync(200);
  expect(work).toHaveBeenCalledTimes(2);
  running.shift()?.();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(2);
});

it('does nothing after it was cancelled', async () => {
  const work = vi.fn(async () => {});
  const quiet = new Debouncer(work, pace);
  quiet.call();
  quiet.cancel();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).not.toHaveBeenCalled();
});
