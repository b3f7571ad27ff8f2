import { raceAbort } from '../../base/async/abort.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { UpstreamLoad } from '../../contract/upstream-state.ts';

export interface CircuitBreakerOptions {
  /** Consecutive failures that open the circuit. */
  readonly failureThreshold: number;
  /** Time the circuit stays open before one trial call. */
  readonly resetTimeoutMs: number;
}

/** What the end of a call shows about its upstream. A `loss` takes every call in flight with it; a `failure` stands alone. */
export type CallVerdict = 'success' | 'failure' | 'loss' | 'ignored';

/** The permission to make one call. */
export interface Permit {
  /** To be called when the call starts. Throws where the circuit has opened since. */
  check(): void;
  /** To be called however the call ended. Only the first signal counts. */
  settle(verdict: CallVerdict): void;
}

/**
 * Closed: calls pass. Open, after consecutive failures: calls are refused. Half open, after the reset timeout: one trial
 * call passes, the others wait for it, and its end decides. A trial that shows nothing about the upstream does not count:
 * the next call is the trial.
 */
export class CircuitBreaker {
  readonly #namespace: string;
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  #losses = 0;
  #openedAt: number | undefined;
  #trial: PromiseWithResolvers<void> | undefined;

  constructor(namespace: string, options: CircuitBreakerOptions) {
    this.#namespace = namespace;
    this.#options = options;
  }

  get state(): UpstreamLoad['circuit'] {
    if (this.#openedAt === undefined) return 'closed';
    return this.#trial ? 'half_open' : 'open';
  }

  /** Waits for the trial in flight; another one may start after it. */
  async trialSettled(signal: AbortSignal): Promise<void> {
    if (this.#trial) await raceAbort(this.#trial.promise, signal);
  }

  /** Only while no trial is in flight. Throws where the circuit is open. */
  acquire(): Permit {
    if (this.#openForMs > 0) throw this.#circuitOpen();
    return this.#openedAt === undefined ? this.#closedPermit() : this.#trialPermit();
  }

  #closedPermit(): Permit {
    let isSettled = false;
    let lossesAtStart = this.#losses;
    return {
      check: () => {
        if (this.#openedAt !== undefined) throw this.#circuitOpen();
        lossesAtStart = this.#losses;
      },
      settle: (verdict) => {
        const isFirst = !isSettled;
        isSettled = true;
        // A circuit that opened meanwhile is decided by a trial, not by an older call.
        if (!isFirst || this.#openedAt !== undefined) return;
        if (verdict === 'success') this.#failures = 0;
        if (verdict === 'failure') this.#countFailure();
        if (verdict === 'loss' && lossesAtStart === this.#losses) {
          this.#losses++;
          this.#countFailure();
        }
      },
    };
  }

  #countFailure(): void {
    if (++this.#failures >= this.#options.failureThreshold) this.#openedAt = Date.now();
  }

  #trialPermit(): Permit {
    const trial = Promise.withResolvers<void>();
    this.#trial = trial;
    return {
      check: () => {},
      settle: (verdict) => {
        if (this.#trial !== trial) return;
        this.#trial = undefined;
        if (verdict === 'failure' || verdict === 'loss') this.#openedAt = Date.now();
        if (verdict === 'success') {
          this.#openedAt = undefined;
          this.#failures = 0;
        }
        trial.resolve();
      },
    };
  }

  get #openForMs(): number {
    if (this.#openedAt === undefined) return 0;
    return Math.max(this.#openedAt + this.#options.resetTimeoutMs - Date.now(), 0);
  }

  #circuitOpen(): Fault {
    const seconds = Math.ceil(this.#openForMs / 100) / 10;
    const message = `Circuit open for upstream ${this.#namespace} after ${this.#options.failureThreshold} consecutive failures; next attempt in ${seconds} s.`;
    return new Fault('UPSTREAM_UNAVAILABLE', message, { effect: 'none', retryAfterMs: this.#openForMs });
  }
}
