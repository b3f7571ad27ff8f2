import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchQueue } from './batch.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('BatchQueue with an asynchronous processor', () => {
  interface PendingBatch {
    readonly items: readonly number[];
    complete(): void;
  }

  function pendingQueue(): { readonly queue: BatchQueue<number>; readonly batches: PendingBatch[] } {
    const batches: PendingBatch[] = [];
    const queue = new BatchQueue<number>({
      process: (items) => new Promise((complete) => batches.push({ items, complete })),
      maxBatchSize: 3,
      maxQueueSize: 5,
      delayMs: 1_000,
      flushAt: 3,
    });
    return { queue, batches };
  }

  const itemsOf = (batches: readonly PendingBatch[]): (readonly number[])[] =>
    batches.map(({ items }) => items);

  async function advance(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
    await nextTurn();
  }

  it('processes a batch as soon as flushAt items wait', () => {
    const { queue, batches } = pendingQueue();
    for (const item of [1, 2, 3]) queue.add(item);
    expect(itemsOf(batches)).toEqual([[1, 2, 3]]);
  });

  it('processes a smaller batch when its first item has waited for the delay', () => {
    const { queue, batches } = pendingQueue();
    queue.add(1);
    vi.advanceTimersByTime(999);
    queue.add(2);
    expect(batches).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(itemsOf(batches)).toEqual([[1, 2]]);
  });

  it('starts no second batch before the first has completed', async () => {
    const { queue, batches } = pendingQueue();
    for (const item of numbers(1, 6)) queue.add(item);
    await advance(60_000);
    expect(itemsOf(batches)).toEqual([[1, 2, 3]]);
    batches[0]!.complete();
    await advance(0);
    expect(itemsOf(batches)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it('waits for the delay again with items that were added during a batch', async () => {
    const { queue, batches } = pendingQueue();
    for (const item of numbers(1, 4)) queue.add(item);
    batches[0]!.complete();
    await advance(999);
    expect(batches).toHaveLength(1);
    await advance(1);
    expect(itemsOf(batches)).toEqual([[1, 2, 3], [4]]);
  });

  it('continues after a batch that failed', async () => {
    const processed: (readonly number[])[] = [];
    const queue = new BatchQueue<number>({
      process: async (items) => {
        processed.push(items);
        throw new Error('unreachable');
      },
      maxBatchSize: 1,
      delayMs: 1_000,
      flushAt: 1,
    });
    for (const item of [1, 2, 3]) queue.add(item);
    await expect.poll(() => processed).toEqual([[1], [2], [3]]);
    queue.add(4);
    await expect(queue.flush()).resolves.toBeUndefined();
  });

  it('drops the items that exceed maxQueueSize and no other', async () => {
    const { queue, batches } = pendingQueue();
    for (const item of numbers(1, 10)) queue.add(item);
    batches[0]!.complete();
    const flushed = queue.flush();
    for (const { complete } of batches) complete();
    await flushed;
    expect(itemsOf(batches)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8],
    ]);
  });

  it('resolves flush when every batch has completed, including the one in progress', async () => {
    const { queue, batches } = pendingQueue();
    for (const item of numbers(1, 4)) queue.add(item);
    let isFlushed = false;
    void queue.flush().then(() => {
      isFlushed = true;
    });
    expect(batches).toHaveLength(2);
    for (const { complete } of [...batches]) {
      await advance(60_000);
      expect(isFlushed).toBe(false);
      complete();
    }
    await advance(0);
    expect({ isFlushed, items: itemsOf(batches) }).toEqual({ isFlushed: true, items: [[1, 2, 3], [4]] });
  });

  it('processes every item once and in its order, for any sequence of adding and completing', async () => {
    const step = fc.constantFrom('add', 'complete', 'wait');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { queue, batches } = pendingQueue();
        let added = 0;
        let waiting = 0;
        for (const action of steps) {
          if (action === 'add' && waiting < 5) queue.add(added++);
          if (action === 'complete') for (const { complete } of batches) complete();
          await advance(action === 'wait' ? 1_000 : 0);
          waiting = added - itemsOf(batches).flat().length;
        }
        const flushed = queue.flush();
        for (const { complete } of batches) complete();
        await flushed;
        expect(itemsOf(batches).flat()).toEqual(numbers(0, added - 1));
        expect(itemsOf(batches).every(({ length }) => length > 0 && length <= 3)).toBe(true);
      }),
    );
  });
});

describe('BatchQueue with a synchronous processor', () => {
  const items = numbers(0, 99);

  function filledQueue(): { processed: number[]; queue: BatchQueue<number> } {
    const processed: number[] = [];
    const process = (batch: readonly number[]): void => void processed.push(...batch);
    const queue = new BatchQueue<number>({ process, maxBatchSize: 32, delayMs: 100 });
    for (const item of items) queue.add(item);
    return { processed, queue };
  }

  it('processes any number of items once and in their order, after the delay', async () => {
    const { processed, queue } = filledQueue();
    await nextTurn();
    expect(processed).toEqual([]);
    vi.runAllTimers();
    await expect.poll(() => processed.length).toBe(100);
    expect(processed).toEqual(items);
    await nextTurn();
    queue.add(100);
    vi.runAllTimers();
    expect(processed.at(-1)).toBe(100);
  });

  it('yields to the event loop between two batches', () => {
    const { processed, queue } = filledQueue();
    vi.runAllTimers();
    expect(processed).toHaveLength(32);
    void queue.flush();
    expect(processed).toEqual(items);
  });

  it('processes all waiting items before flush returns, and none of them again', async () => {
    const { processed, queue } = filledQueue();
    void queue.flush();
    expect(processed).toEqual(items);
    vi.runAllTimers();
    await nextTurn();
    expect(processed).toEqual(items);
    queue.add(100);
    vi.runAllTimers();
    expect(processed).toHaveLength(101);
  });
});
