import { onAbort, raceAbort } from '../../base/async/abort.ts';
import { FairQueue, type Lane } from '../../base/async/fair-queue.ts';
import type { Caller } from '../../contract/call/caller.ts';
import { ownerOf } from '../../contract/call/principal.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { cancelledBy } from './deadline.ts';

export interface BulkheadOptions {
  /** Calls in flight; further calls are queued. */
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

export interface BulkheadRun {
  /** Ends the run, whether the work listens to it or not. */
  readonly signal: AbortSignal;
  /** Fires when the caller disconnects. It ends only the wait for a slot, where nothing has been sent yet. */
  readonly callerSignal?: AbortSignal | undefined;
  /** Whose turn in the queue the call uses; calls without a caller share one. */
  readonly caller?: Caller;
}

interface QueuedCall {
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** How long a call that does not end keeps its slot after its caller was answered. */
export const SLOT_GRACE_MS = 5_000;

/**
 * Limits the calls in flight to one upstream, and queues further ones. Queued callers take turns, and when the queue is full
 * a call of the caller with the most queued calls is refused: one caller cannot keep the others out.
 */
export class Bulkhead {
  readonly #namespace: string;
  readonly #options: BulkheadOptions;
  readonly #queue = new FairQueue<QueuedCall>();
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
  async run<Result>(run: BulkheadRun, work: () => Promise<Result>): Promise<Result> {
    const { signal } = run;
    if (this.hasFreeSlot) this.#running++;
    else await this.#waitForSlot(run);
    const running = startUnlessAborted(signal, work);
    this.#holdSlot(running, signal);
    return raceAbort(running, signal);
  }

  async #waitForSlot({ signal, callerSignal, caller }: BulkheadRun): Promise<void> {
    const lane = laneOf(caller);
    const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>();
    const call: QueuedCall = { start, refuse };
    const abort = (): void => {
      if (!this.#queue.delete(lane, call)) return;
      refuse(signal.aborted ? signal.reason : cancelledBy(callerSignal!));
    };
    this.#queue.add(lane, call);
    if (this.#queue.size > this.#options.maxQueued) this.#queue.shed(lane, call).refuse(this.#queueFull());
    onAbort(signal, abort);
    if (callerSignal) onAbort(callerSignal, abort);
    await promise.finally(() => {
      signal.removeEventListener('abort', abort);
      callerSignal?.removeEventListener('abort', abort);
    });
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
    const next = this.#queue.take();
    if (next) next.start();
    else this.#running--;
  }

  #queueFull(): Fault {
    const message = `Too many calls are queued for upstream ${this.#namespace} (${this.#options.maxQueued}). Try again later.`;
    return new Fault('UPSTREAM_UNAVAILABLE', message, { effect: 'none' });
  }
}

/** Principals take turns, and the sessions of one principal take turns within its own. */
function laneOf(caller: Caller | undefined): Lane {
  if (!caller) return ['', ''];
  const { principal, sessionId, transportSession, client } = caller;
  return [ownerOf(principal), sessionId ?? transportSession ?? client?.name ?? ''];
}

/** A call whose caller left between getting the slot and using it must not start. */
async function startUnlessAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  return work();
}
