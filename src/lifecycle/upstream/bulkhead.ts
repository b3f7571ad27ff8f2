import { raceAbort } from '../../base/async/abort.ts';
import { Fault } from '../../contract/errors/fault.ts';

export interface BulkheadOptions {
  /** Calls at a time; more wait in line. */
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

/** How long an upstream that does not let go of a call keeps the call's place after its caller was answered. */
export const SLOT_GRACE_MS = 5_000;

/** A few calls at a time, the others in their order, and none beyond the end of the line. */
export class Bulkhead {
  readonly #namespace: string;
  readonly #options: BulkheadOptions;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(namespace: string, options: BulkheadOptions) {
    this.#namespace = namespace;
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  get hasFreeSlot(): boolean {
    return this.#running < this.#options.maxConcurrent;
  }

  /** The caller is answered at its signal; its place is free when the work is really over. */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    if (this.hasFreeSlot) this.#running++;
    else await this.#turn(signal);
    const running = begun(signal, work);
    this.#keepPlace(running, signal);
    return raceAbort(running, signal);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#options.maxQueued) throw this.#full();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => {
      if (this.#waiting.delete(resolve)) reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', abort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', abort));
  }

  #keepPlace(work: Promise<unknown>, signal: AbortSignal): void {
    let isKept = true;
    let grace: NodeJS.Timeout | undefined;
    const leave = (): void => {
      if (!isKept) return;
      isKept = false;
      clearTimeout(grace);
      signal.removeEventListener('abort', abandon);
      this.#freePlace();
    };
    const abandon = (): void => {
      grace = setTimeout(leave, SLOT_GRACE_MS);
      grace.unref();
    };
    signal.addEventListener('abort', abandon, { once: true });
    work.then(leave, leave);
  }

  /** The place goes to whoever is next. */
  #freePlace(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  #full(): Fault {
    return new Fault('UPSTREAM_UNAVAILABLE', `${this.#namespace} has too many calls waiting.`, {
      effect: 'none',
    });
  }
}

/** Whoever left between being given a place and taking it must not begin. */
async function begun<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  return work();
}
