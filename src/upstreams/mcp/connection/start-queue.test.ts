import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { StartQueue } from './start-queue.ts';

const NEVER = new AbortController().signal;

describe('StartQueue', () => {
  it('runs all work, a few at a time, in the order of arrival', async () => {
    const queue = new StartQueue(3);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const work = (n: number) => async (): Promise<number> => {
      order.push(n);
      most = Math.max(most, ++running);
      await pause(n % 3);
      running--;
      if (n % 5 === 0) throw new Error('failed');
      return n;
    };
    const all = Array.from({ length: 22 }, (_, n) => queue.run(work(n), NEVER).catch(() => -1));
    const results = await Promise.all(all);
    expect(results).toEqual(results.map((_, n) => (n % 5 === 0 ? -1 : n)));
    expect(order).toEqual(order.map((_, n) => n));
    expect(most).toBe(3);
  });

  it('does not let work that hangs hold up the rest', async () => {
    vi.useFakeTimers();
    try {
      const queue = new StartQueue(1);
      void queue.run(() => new Promise(() => {}), NEVER);
      const next = queue.run(async () => 'started', NEVER);
      await vi.advanceTimersByTimeAsync(3_000);
      expect(await next).toBe('started');
    } finally {
      vi.useRealTimers();
    }
  });

  it('runs aborted work at once, without a turn that it could pass on', async () => {
    const queue = new StartQueue(1);
    const first = Promise.withResolvers<void>();
    void queue.run(() => first.promise, NEVER);
    const aborting = new AbortController();
    const aborted = queue.run(async () => 'aborted', aborting.signal);
    let hasRun = false;
    const waiting = queue.run(async () => {
      hasRun = true;
    }, NEVER);
    aborting.abort();
    expect(await aborted).toBe('aborted');
    expect(hasRun).toBe(false);
    first.resolve();
    await waiting;
  });
});
