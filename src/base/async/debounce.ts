export interface DebounceOptions {
  /** How long it must have been quiet. */
  readonly quietMs: number;
  /** How long a noise that never stops can put the work off. */
  readonly longestMs: number;
}

/** Does a piece of work when a burst of calls for it is over: never twice at a time, and always once after the last call. */
export class Debouncer {
  readonly #work: () => Promise<void>;
  readonly #pace: DebounceOptions;
  #timer: NodeJS.Timeout | undefined;
  #firstCallAt: number | undefined;
  #working = false;

  constructor(work: () => Promise<void>, pace: DebounceOptions) {
    this.#work = work;
    this.#pace = pace;
  }

  call(): void {
    const now = Date.now();
    this.#firstCallAt ??= now;
    if (this.#working) return;
    const { quietMs, longestMs } = this.#pace;
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
    this.#working = true;
    try {
      await this.#work();
    } finally {
      this.#working = false;
      // Somebody called while the work was under way: what it saw may be old already.
      if (this.#firstCallAt !== undefined) this.call();
    }
  }
}
