export interface DebounceOptions {
  /** The work starts when no call came for this long. */
  readonly quietMs: number;
  /** The work starts after this long at the latest, also while calls keep coming. */
  readonly longestMs: number;
}

/** Runs work once after a burst of calls: never twice at the same time, and always once after the last call. */
export class Debouncer {
  readonly #work: () => Promise<void>;
  readonly #options: DebounceOptions;
  #timer: NodeJS.Timeout | undefined;
  #firstCallAt: number | undefined;
  #isRunning = false;

  constructor(work: () => Promise<void>, options: DebounceOptions) {
    this.#work = work;
    this.#options = options;
  }

  call(): void {
    const now = Date.now();
    this.#firstCallAt ??= now;
    if (this.#isRunning) return;
    const { quietMs, longestMs } = this.#options;
    clearTimeout(this.#timer);
    const wait = Math.min(quietMs, Math.max(this.#firstCallAt + longestMs - now, 0));
    this.#timer = setTimeout(() => void this.#run(), wait);
    this.#timer.unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#firstCallAt = undefined;
  }

  async #run(): Promise<void> {
    this.#firstCallAt = undefined;
    this.#isRunning = true;
    try {
      await this.#work();
    } finally {
      this.#isRunning = false;
      // A call during the run asks for another run, because the work may have read old data.
      if (this.#firstCallAt !== undefined) this.call();
    }
  }
}
