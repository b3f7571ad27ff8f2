import { raceAbort } from '../../base/async/abort.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { UpstreamLoad } from '../../contract/upstream-state.ts';

export interface CircuitBreakerOptions {
  /** So many failures in a row open the circuit. */
  readonly failureThreshold: number;
  /** Then the upstream is left alone for so long, until one call may try. */
  readonly resetTimeoutMs: number;
}

/** What the end of a call says of its upstream. */
export type CallSignal = 'success' | 'failure' | 'ignored';

/** A call's leave to be made. */
export interface Permit {
  /** Throws where the circuit has opened since. */
  check(): void;
  /** To be called whatever became of the call. The first word counts. */
  settle(sign: CallSignal): void;
}

/**
 * Lets calls pass as long as they are answered, and none after so many failures in a row. After a rest one may try, the
 * others wait for it, and its end decides. A trial that says nothing of the upstream is as good as not made: the next
 * call tries.
 */
export class CircuitBreaker {
  readonly #namespace: string;
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
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

  /** Waits for the trial under way; then another one may be. */
  async probeSettled(signal: AbortSignal): Promise<void> {
    if (this.#trial) await raceAbort(this.#trial.promise, signal);
  }

  /** For when no trial is under way. Throws where the upstream is left alone. */
  acquire(): Permit {
    if (this.#restLeft > 0) throw this.#leftAlone();
    return this.#openedAt === undefined ? this.#usualPass() : this.#trialPass();
  }

  #usualPass(): Permit {
    let hasEnded = false;
    return {
      check: () => {
        if (this.#openedAt !== undefined) throw this.#leftAlone();
      },
      settle: (sign) => {
        const isFirst = !hasEnded;
        hasEnded = true;
        // Where it has opened meanwhile, this call was made before, and a trial will decide.
        if (!isFirst || this.#openedAt !== undefined) return;
        if (sign === 'success') this.#failures = 0;
        if (sign === 'failure' && ++this.#failures >= this.#options.failureThreshold)
          this.#openedAt = Date.now();
      },
    };
  }

  #trialPass(): Permit {
    const trial = Promise.withResolvers<void>();
    this.#trial = trial;
    return {
      check: () => {},
      settle: (sign) => {
        if (this.#trial !== trial) return;
        this.#trial = undefined;
        if (sign === 'failure') this.#openedAt = Date.now();
        if (sign === 'success') {
          this.#openedAt = undefined;
          this.#failures = 0;
        }
        trial.resolve();
      },
    };
  }

  get #restLeft(): number {
    if (this.#openedAt === undefined) return 0;
    return Math.max(this.#openedAt + this.#options.resetTimeoutMs - Date.now(), 0);
  }

  #leftAlone(): Fault {
    const message = `${this.#namespace} has failed again and again, and is left alone for a while.`;
    return new Fault('UPSTREAM_UNAVAILABLE', message, { effect: 'none', retryAfterMs: this.#restLeft });
  }
}
