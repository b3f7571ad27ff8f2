import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  TaskCancelledError,
} from 'cockatiel';
import { Fault } from '../contract/errors.ts';
import type { UpstreamLoad } from '../contract/upstream-state.ts';

export interface GuardOptions {
  /** Calls at a time; more wait in line. */
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** So many failures in a row open the circuit. */
  readonly failures: number;
  /** Then it is left alone for so long, until one call may try. */
  readonly restMs: number;
}

const STATES: Readonly<Record<CircuitState, UpstreamLoad['circuit']>> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
  [CircuitState.HalfOpen]: 'half_open',
};

/** Only what says that the upstream itself is in trouble: a tool that refuses its arguments is well. */
const TROUBLE = new Set(['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED']);

/** Keeps one upstream's trouble its own: a few calls at a time, and none to one that has failed again and again. */
export class UpstreamGuard {
  readonly #options: GuardOptions;
  readonly #line: ReturnType<typeof bulkhead>;
  readonly #circuit: ReturnType<typeof circuitBreaker>;
  readonly #namespace: string;

  constructor(namespace: string, options: GuardOptions) {
    this.#namespace = namespace;
    this.#options = options;
    this.#line = bulkhead(options.maxConcurrent, options.maxQueued);
    this.#circuit = circuitBreaker(
      handleWhen(
        (error) => error instanceof Fault && TROUBLE.has(error.code) && error.variant !== 'cancelled',
      ),
      { halfOpenAfter: options.restMs, breaker: new ConsecutiveBreaker(options.failures) },
    );
  }

  get state(): UpstreamLoad {
    const { maxConcurrent, maxQueued } = this.#options;
    return {
      circuit: STATES[this.#circuit.state],
      running: maxConcurrent - this.#line.executionSlots,
      queued: maxQueued - this.#line.queueSlots,
    };
  }

  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#circuit.execute(() =>
        this.#line.execute(() => {
          // Whoever waited in line past its deadline must not begin.
          signal.throwIfAborted();
          return work();
        }, signal),
      );
    } catch (thrown) {
      throw this.#inOurWords(thrown, signal);
    }
  }

  #inOurWords(thrown: unknown, signal: AbortSignal): unknown {
    if (thrown instanceof BrokenCircuitError) {
      return this.#closed('has failed again and again, and is left alone for a while', this.#options.restMs);
    }
    if (thrown instanceof BulkheadRejectedError) return this.#closed('has too many calls waiting', undefined);
    return thrown instanceof TaskCancelledError ? signal.reason : thrown;
  }

  #closed(why: string, retryAfterMs: number | undefined): Fault {
    return new Fault('UPSTREAM_UNAVAILABLE', `${this.#namespace} ${why}.`, {
      effect: 'nothing',
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
}
