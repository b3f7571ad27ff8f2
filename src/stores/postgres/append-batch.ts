import { setImmediate as nextTurn } from 'node:timers/promises';

/** The result of each item, by position, or the error that refused it. */
export type BatchOutcome<Result> = readonly (Result | Error)[];

export type WriteBatch<Item, Result> = (items: readonly Item[]) => Promise<BatchOutcome<Result>>;

export interface AppendBatch<Item, Result> {
  append(item: Item): Promise<Result>;
  /** Refuses later items; resolves when every earlier one is settled. */
  close(): Promise<void>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

// Bounds how many other items a caller waits for.
const MAX_BATCH = 500;

/**
 * Appends that arrive in one turn of the event loop, or during a write, share the next write. A commit costs far more
 * than a row, so the load determines the size of a batch and no append waits for a timer.
 */
export function appendBatch<Item, Result>(write: WriteBatch<Item, Result>): AppendBatch<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let flushing: Promise<void> | undefined;
  let closed = false;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      await nextTurn();
      await settle(waiting.splice(0, MAX_BATCH), write);
    }
    flushing = undefined;
  }

  return {
    append: (item) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error('The store is closed.'));
        waiting.push({ item, resolve, reject });
        flushing ??= flush();
      }),
    close: async () => {
      closed = true;
      await flushing;
    },
  };
}

async function settle<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  write: WriteBatch<Item, Result>,
): Promise<void> {
  try {
    const outcome = await write(batch.map(({ item }) => item));
    batch.forEach(({ resolve, reject }, at) => {
      const result = outcome[at]!;
      if (result instanceof Error) reject(result);
      else resolve(result);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
