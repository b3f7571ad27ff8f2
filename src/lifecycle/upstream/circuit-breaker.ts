import { unlessAborted } from '../../base/async/abort.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { UpstreamLoad } from '../../contract/upstream-state.ts';

export interface CircuitOptions {
  /** So many failures in a row open the circuit. */
  readonly failures: number;
  /** Then the upstream is left alone for so long, until one call may try. */
  readonly restMs: number;
}

/** What the end of a call says of its upstream. */
export type Sign = 'well' | 'ill' | 'none';

/** A call's leave to be made. */
export interface Pass {
  /** Throws where the circuit has opened since. */
  check(): void;
  /** To be called whatever became of the call. The first word counts. */
  ended(sign: Sign): void;
}

/**
 * Lets calls pass as long as they are answered, and none after so many failures in a row. After a rest one may try, the
 * others wait for it, and its end decides. A trial that says nothing of the upstream is as good as not made: the next
 * call tries.
 */
export class Circuit {
  readonly #namespace: string;
  readonly #options: CircuitOptions;
  #failures = 0;
  #openedAt: number | undefined;
  #trial: PromiseWithResolvers<void> | undefined;

  constructor(namespace: string, options: CircuitOptions) {
    this.#namespace = namespace;
    this.#options = options;
  }

  get state(): UpstreamLoad['circuit'] {
    if (this.#openedAt === undefined) return 'closed';
    return this.#trial ? 'half_open' : 'open';
  }

  /** Waits for the trial under way; then another one may be. */
  async decided(signal: AbortSignal): Promise<void> {
    if (this.#trial) await unlessAborted(this.#trial.promise, signal);
  }

  /** For when no trial is under way. Throws where the upstream is left alone. */
  enter(): Pass {
    if (this.#restLeft > 0) throw this.#leftAlone();
    return this.#openedAt === undefined ? this.#usualPass() : this.#trialPass();
  }

  #usualPass(): Pass {
    let hasEnded = false;
    return {
      check: () => {
        if (this.#openedAt !== undefined) throw this.#leftAlone();
      },
      ended: (sign) => {
        const isFirst = !hasEnded;
        hasEnded = true;
        // Where it has opened meanwhile, this call was made before, and a trial will decide.
        if (!isFirst || this.#openedAt !== undefined) return;
        if (sign === 'well') this.#failures = 0;
        if (sign === 'ill' && ++this.#failures >= this.#options.failures) this.#openedAt = Date.now();
      },
    };
  }

  #trialPass(): Pass {
    const trial = Promise.withResolvers<void>();
    this.#trial = trial;
    return {
      check: () => {},
      ended: (sign) => {
        if (this.#trial !== trial) return;
        this.#trial = undefined;
        if (sign === 'ill') this.#openedAt = Date.now();
        if (sign === 'well') {
          this.#openedAt = undefined;
          this.#failures = 0;
        }
        trial.resolve();
      },
    };
  }

  get #restLeft(): number {
    if (this.#openedAt === undefined) return 0;
    return Math.max(this.#openedAt + this.#options.restMs - Date.now(), 0);
  }

  #leftAlone(): Fault {
    const message = `${this.#namespace} has failed again and again, and is left alone for a while.`;
    return new Fault('UPSTREAM_UNAVAILABLE', message, { effect: 'nothing', retryAfterMs: this.#restLeft });
  }
}
