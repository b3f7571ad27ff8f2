const RETRY_MS = { first: 5, max: 50 };

/** Waits for the write lock of another process: tries again on a timer, less often with every failure. */
export class LockWait {
  readonly #retry: () => void;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #delay = RETRY_MS.first;

  constructor(retry: () => void) {
    this.#retry = retry;
  }

  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  /** Starts the timer. Returns for how long the lock has been held already (ms). */
  wait(): number {
    this.#since ??= performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#retry();
    }, this.#delay);
    this.#delay = Math.min(2 * this.#delay, RETRY_MS.max);
    return performance.now() - this.#since;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The lock is free, or nobody waits for it any more. */
  reset(): void {
    this.stop();
    this.#since = undefined;
    this.#delay = RETRY_MS.first;
  }
}
