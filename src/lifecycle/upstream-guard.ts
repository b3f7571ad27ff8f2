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
  readonly #excused = new WeakSet<Fault>();

  constructor(namespace: string, options: GuardOptions) {
    this.#namespace = namespace;
    this.#options = options;
    this.#line = bulkhead(options.maxConcurrent, options.maxQueued);
    this.#circuit = circuitBreaker(
      handleWhen((error) => this.#speaksAgainst(error)),
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

  /** Whether a call that comes now would begin now. */
  get hasRoom(): boolean {
    return this.#circuit.state === CircuitState.Closed && this.#line.executionSlots > 0;
  }

  /** `isHurried`: the caller gives it less time than its class has, so a late answer says nothing of the upstream. */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>, isHurried = false): Promise<Result> {
    try {
      return await this.#line.execute(() => {
        // Whoever waited in line past its deadline must not begin, and is no trial of the upstream.
        signal.throwIfAborted();
        return this.#circuit.execute(async () => {
          try {
            // Also after it has waited for the outcome of another one's trial.
            signal.throwIfAborted();
            return await work();
          } catch (thrown) {
            if (isHurried && thrown instanceof Fault && thrown.code === 'DEADLINE_EXCEEDED')
              this.#excused.add(thrown);
            throw thrown;
          }
        });
      }, signal);
    } catch (thrown) {
      throw this.#inOurWords(thrown, signal);
    }
  }

  /** A trial that ended without a word on the upstream has not shown that it is well again. */
  #speaksAgainst(error: unknown): boolean {
    if (!(error instanceof Fault)) return false;
    const saysNothing = this.#excused.has(error) || error.variant === 'cancelled';
    return saysNothing ? this.#circuit.state === CircuitState.HalfOpen : TROUBLE.has(error.code);
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
