import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitAtMost, withTimeout } from './timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});
const after = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(resolve, ms, 'done'));

describe('withTimeout', () => {
  const error = (): Error => new Error('too late');

  it('settles as the work does', async () => {
    await expect(withTimeout(Promise.resolve(1), { ms: 100, error })).resolves.toBe(1);
    await expect(withTimeout(Promise.reject(new Error('failed')), { ms: 100, error })).rejects.toThrow(
      'failed',
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects with the given error when the time is over', async () => {
    const late = expect(withTimeout(never, { ms: 100, error })).rejects.toThrow('too late');
    await vi.advanceTimersByTimeAsync(100);
    await late;
  });
});

describe('waitAtMost', () => {
  /** How long the wait took, in milliseconds; undefined where it has not ended after a minute. */
  async function waited(work: Promise<unknown>, limits: Parameters<typeof waitAtMost>[1]) {
    const began = Date.now();
    let ended: number | undefined;
    void waitAtMost(work, limits).then(() => {
      ended = Date.now() - began;
    });
    await vi.advanceTimersByTimeAsync(60_000);
    return ended;
  }

  it('ends with the work', async () => {
    expect(await waited(after(30), { ms: 100 })).toBe(30);
    expect(await waited(Promise.resolve(), { ms: 100 })).toBe(0);
  });

  it('ends when the time is over', async () => {
    expect(await waited(never, { ms: 100 })).toBe(100);
    expect(await waited(never, { ms: 0 })).toBe(0);
  });

  it('ends when the signal fires, also where it has already fired', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 70);
    expect(await waited(never, { ms: 100, signal: controller.signal })).toBe(70);
    expect(await waited(never, { ms: 100, signal: controller.signal })).toBe(0);
  });

  it('rejects where the work does', async () => {
    await expect(waitAtMost(Promise.reject(new Error('failed')), { ms: 100 })).rejects.toThrow('failed');
  });

  it('leaves neither a timer nor a listener behind', async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await waitAtMost(Promise.resolve(), { ms: 100, signal });
    expect(vi.getTimerCount()).toBe(0);
    expect(remove).toHaveBeenCalledWith('abort', add.mock.calls[0]![1]);
  });
});
