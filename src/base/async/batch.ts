export interface BatchQueueOptions<Item> {
  /** Handles one batch. The items of a batch that fails are lost. */
  readonly process: (items: readonly Item[]) => void | Promise<void>;
  readonly maxBatchSize: number;
  /** Items added while so many wait are dropped; without it none is. */
  readonly maxQueueSize?: number;
  /** Time that an item waits for others to share its batch. */
  readonly delayMs: number;
  /** Number of waiting items that starts a batch before the delay is over; without it only the delay does. */
  readonly flushAt?: number;
}

/** Handles items in batches and in their order, one batch at a time and a while after they were added. */
export class BatchQueue<Item> {
  readonly #options: BatchQueueOptions<Item>;
  readonly #waiting: Item[] = [];
  #timer: NodeJS.Timeout | undefined;
  #draining: Promise<void> | undefined;

  constructor(options: BatchQueueOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    const { maxQueueSize = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#waiting.length >= maxQueueSize) return;
    this.#waiting.push(item);
    this.#schedule();
  }

  /**
   * Starts every waiting batch before it returns, all at the same time: a process that ends may not have time for one
   * after the other. Resolves when they and the batch in progress have settled; never rejects.
   */
  async flush(): Promise<void> {
    this.#clearTimer();
    const batches: Promise<void>[] = [];
    while (this.#waiting.length > 0) batches.push(this.#processNext());
    await Promise.all([this.#draining, ...batches]);
  }

  #schedule(): void {
    if (this.#draining || this.#waiting.length === 0) return;
    const { flushAt = Number.POSITIVE_INFINITY, maxBatchSize, delayMs } = this.#options;
    if (this.#waiting.length >= flushAt) this.#startDraining(maxBatchSize);
    // Unreferenced: the owner flushes before the process ends.
    else this.#timer ??= setTimeout(() => this.#startDraining(this.#waiting.length), delayMs).unref();
  }

  #startDraining(count: number): void {
    this.#clearTimer();
    this.#draining = this.#drain(count).then(() => {
      this.#draining = undefined;
      this.#schedule();
    });
  }

  /** Items added meanwhile wait for their own delay, or a slow receiver would get many small batches. */
  async #drain(count: number): Promise<void> {
    for (let left = count; left > 0 && this.#waiting.length > 0; left -= this.#options.maxBatchSize) {
      await this.#processNext();
      // Lets the event loop handle other work between two batches that are processed synchronously.
      if (left > this.#options.maxBatchSize) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #processNext(): Promise<void> {
    const { process, maxBatchSize } = this.#options;
    try {
      await process(this.#waiting.splice(0, maxBatchSize));
    } catch {
      // The items are lost, as documented. `process` reports its failures itself.
    }
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
