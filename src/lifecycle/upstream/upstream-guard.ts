import { Fault } from '../../contract/errors/fault.ts';
import type { UpstreamLoad } from '../../contract/upstream-state.ts';
import { Bulkhead, type BulkheadOptions, type BulkheadRun } from './bulkhead.ts';
import { type CallVerdict, CircuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.ts';

export interface GuardOptions extends CircuitBreakerOptions, BulkheadOptions {}

export interface GuardedRun extends BulkheadRun {
  /** An upstream that had less time than this is not blamed for its silence. */
  readonly minWaitToBlameMs?: number;
}

/** Codes that show trouble of the upstream itself, or nothing about it. A tool that refuses its arguments is healthy. */
const VERDICTS: ReadonlyMap<string, CallVerdict> = new Map([
  ['UPSTREAM_UNAVAILABLE', 'loss'],
  ['DEADLINE_EXCEEDED', 'failure'],
  ['CANCELLED', 'ignored'],
]);

/** Isolates one upstream from the others: a bulkhead limits its calls, a circuit breaker stops them while it fails. */
export class UpstreamGuard {
  readonly #breaker: CircuitBreaker;
  readonly #bulkhead: Bulkhead;

  constructor(namespace: string, options: GuardOptions) {
    this.#breaker = new CircuitBreaker(namespace, options);
    this.#bulkhead = new Bulkhead(namespace, options);
  }

  get state(): UpstreamLoad {
    const { running, queued } = this.#bulkhead;
    return { circuit: this.#breaker.state, running, queued };
  }

  /** Whether a call that comes now would start now. */
  get hasFreeSlot(): boolean {
    return this.#breaker.state === 'closed' && this.#bulkhead.hasFreeSlot;
  }

  async run<Result>(run: GuardedRun, work: (clock: UpstreamClock) => Promise<Result>): Promise<Result> {
    const { signal, minWaitToBlameMs = 0 } = run;
    signal.throwIfAborted();
    // Not awaited without a trial: this call must take its slot before the next one is looked at.
    while (this.#breaker.state === 'half_open') await this.#breaker.trialSettled(signal);
    const permit = this.#breaker.acquire();
    const clock = new UpstreamClock();
    const started = async (): Promise<Result> => {
      permit.check();
      return work(clock);
    };
    const settled = async (result: Promise<Result>): Promise<Result> => {
      try {
        const value = await result;
        permit.settle('success');
        return value;
      } catch (error) {
        const minWaitMs = error === signal.reason ? minWaitToBlameMs : 0;
        permit.settle(clock.hasWaited(minWaitMs) ? verdictOf(error) : 'ignored');
        throw error;
      }
    };
    // Settled twice, and only the first counts: inside, before the next queued call starts; outside, when the signal fires first.
    return settled(this.#bulkhead.run(run, () => settled(started())));
  }
}

/** Measures how long the upstream has had the request. Queueing and our own durable write do not count. */
export class UpstreamClock {
  #waitingSince: number | undefined;

  /** Counts the wait for this answer as the upstream's, also after it has failed. */
  async measure<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#waitingSince = Date.now();
    const value = await answer;
    this.#waitingSince = undefined;
    return value;
  }

  hasWaited(ms: number): boolean {
    return this.#waitingSince !== undefined && Date.now() - this.#waitingSince >= ms;
  }
}

function verdictOf(error: unknown): CallVerdict {
  if (!(error instanceof Fault)) return 'ignored';
  return VERDICTS.get(error.code) ?? 'success';
}
