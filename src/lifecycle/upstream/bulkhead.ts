import { raceAbort } from '../../base/async/abort.ts';
import { Fault } from '../../contract/errors/fault.ts';

export interface BulkheadOptions {
  /** Calls in flight; further calls are queued. */
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

/** How long a call that does not end keeps its slot after its caller was answered. */
export const SLOT_GRACE_MS = 5_000;

/** Limits the calls in flight to one upstream, queues further ones in order, and refuses those beyond the queue. */
export class Bulkhead {
  readonly #namespace: string;
  readonly #options: BulkheadOptions;
  readonly #queue = new Set<() => void>();
  #running = 0;

  constructor(namespace: string, options: BulkheadOptions) {
    this.#namespace = namespace;
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.size;
  }

  get hasFreeSlot(): boolean {
    return this.#running < this.#options.maxConcurrent;
  }

  /** The caller is answered at its signal; its slot is free when the work has really ended. */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    if (this.hasFreeSlot) this.#running++;
    else await this.#waitForSlot(signal);
    const running = startUnlessAborted(signal, work);
    this.#holdSlot(running, signal);
    return raceAbort(running, signal);
  }

  async #waitForSlot(signal: AbortSignal): Promise<void> {
    if (this.#queue.size >= this.#options.maxQueued) throw this.#queueFull();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => {
      if (this.#queue.delete(resolve)) reject(signal.reason);
    };
    this.#queue.add(resolve);
    signal.addEventListener('abort', abort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', abort));
  }

  #holdSlot(work: Promise<unknown>, signal: AbortSignal): void {
    let isHeld = true;
    let grace: NodeJS.Timeout | undefined;
    const free = (): void => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(grace);
      signal.removeEventListener('abort', freeAfterGrace);
      this.#freeSlot();
    };
    const freeAfterGrace = (): void => {
      grace = setTimeout(free, SLOT_GRACE_MS);
      grace.unref();
    };
    signal.addEventListener('abort', freeAfterGrace, { once: true });
    work.then(free, free);
  }

  /** Hands the slot to the next queued call. */
  #freeSlot(): void {
    const [next] = this.#queue;
    if (!next) {
      this.#running--;
      return;
    }
    this.#queue.delete(next);
    next();
  }

  #queueFull(): Fault {
    const message = `Too many calls are queued for upstream ${this.#namespace} (${this.#options.maxQueued}). Try again later.`;
    return new Fault('UPSTREAM_UNAVAILABLE', message, { effect: 'none' });
  }
}

/** A call whose caller left between getting the slot and using it must not start. */
async function startUnlessAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  return work();
}
