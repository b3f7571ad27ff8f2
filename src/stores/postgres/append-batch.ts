import { setImmediate as nextTurn } from 'node:timers/promises';

/** What became of each item, by position: undefined where it was stored, else why it was not. */
export type BatchOutcome = readonly (Error | undefined)[];

export interface AppendBatch<Item> {
  append(item: Item): Promise<void>;
  /** Refuses what comes later; resolves when everything that came before is settled. */
  close(): Promise<void>;
}

interface Waiting<Item> {
  readonly item: Item;
  resolve(): void;
  reject(reason: unknown): void;
}

// So that no caller waits for more of the others than this.
const MAX_BATCH = 500;

/**
 * Appends that arrive in one turn of the event loop, or while a write is under way, share the next write. A commit costs
 * far more than a row, so the load itself decides the size of a batch and nobody waits for a timer.
 */
export function appendBatch<Item>(
  write: (items: readonly Item[]) => Promise<BatchOutcome>,
): AppendBatch<Item> {
  const waiting: Waiting<Item>[] = [];
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

async function settle<Item>(
  batch: readonly Waiting<Item>[],
  write: (items: readonly Item[]) => Promise<BatchOutcome>,
): Promise<void> {
  try {
    const outcome = await write(batch.map(({ item }) => item));
    batch.forEach(({ resolve, reject }, at) => {
      const refusal = outcome[at];
      if (refusal === undefined) resolve();
      else reject(refusal);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
