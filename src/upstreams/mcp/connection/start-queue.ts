import { availableParallelism } from 'node:os';
import { onAbort } from '../../../base/async/abort.ts';

/** Starting a server takes most of a core for a second or two: more at a time only makes each of them late. */
const MAX_STARTING = Math.max(4, availableParallelism());
/** A start that takes longer waits for something else than the CPU, such as a download. */
const LONGEST_TURN_MS = 3_000;

/** Lets a few processes start at a time. All upstreams of a gateway share one queue. */
export class StartQueue {
  readonly #maxStarting: number;
  readonly #waiting = new Set<() => void>();
  #starting = 0;

  constructor(maxStarting: number = MAX_STARTING) {
    this.#maxStarting = maxStarting;
  }

  /** Runs the work when it is its turn. Work that is aborted while it waits runs at once, and ends by the same signal. */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const endTurn = await this.#takeTurn(signal);
    const timer = setTimeout(endTurn, LONGEST_TURN_MS);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      endTurn();
    }
  }

  /** Resolves with the function that ends the turn. */
  async #takeTurn(signal: AbortSignal): Promise<() => void> {
    if (this.#starting < this.#maxStarting) this.#starting++;
    else if (!(await this.#wait(signal))) return () => {};
    let isOver = false;
    return () => {
      if (!isOver) this.#passOn();
      isOver = true;
    };
  }

  /** Whether a turn was passed on before the signal fired. */
  async #wait(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const take = (): void => resolve(true);
    this.#waiting.add(take);
    onAbort(signal, () => {
      if (this.#waiting.delete(take)) resolve(false);
    });
    return promise;
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (!next) this.#starting--;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
