import { Fault } from '../../contract/errors/fault.ts';
import type { UpstreamLoad } from '../../contract/upstream-state.ts';
import { Bulkhead, type BulkheadOptions } from './bulkhead.ts';
import { type CallSignal, CircuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.ts';

export interface GuardOptions extends CircuitBreakerOptions, BulkheadOptions {}

/** For steps of our own in the middle of a call: neither their time nor their failure is the upstream's. */
export type OurOwn = (step: () => Promise<void>) => Promise<void>;

/** Only what says that the upstream itself is in trouble: a tool that refuses its arguments is well. */
const TROUBLE = new Set(['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED']);

/** Keeps one upstream's trouble its own: a few calls at a time, and none to one that has failed again and again. */
export class UpstreamGuard {
  readonly #circuit: CircuitBreaker;
  readonly #line: Bulkhead;

  constructor(namespace: string, options: GuardOptions) {
    this.#circuit = new CircuitBreaker(namespace, options);
    this.#line = new Bulkhead(namespace, options);
  }

  get state(): UpstreamLoad {
    const { running, queued } = this.#line;
    return { circuit: this.#circuit.state, running, queued };
  }

  /** Whether a call that comes now would begin now. */
  get hasFreeSlot(): boolean {
    return this.#circuit.state === 'closed' && this.#line.hasFreeSlot;
  }

  /**
   * Ends with the signal, whether the work listens or not. `fairMs`: an upstream that had less time than this is not
   * blamed for its silence.
   */
  async run<Result>(
    signal: AbortSignal,
    work: (ourOwn: OurOwn) => Promise<Result>,
    fairMs = 0,
  ): Promise<Result> {
    signal.throwIfAborted();
    // Without a trial there is nothing to wait for: the next call must find the place of this one taken.
    while (this.#circuit.state === 'half_open') await this.#circuit.probeSettled(signal);
    const pass = this.#circuit.acquire();
    const hands = new Hands();
    const asked = async (): Promise<Result> => {
      pass.check();
      hands.handOver();
      return work(hands.ourOwn);
    };
    const heard = async (answer: Promise<Result>): Promise<Result> => {
      try {
        const result = await answer;
        pass.settle('success');
        return result;
      } catch (thrown) {
        const enoughMs = thrown === signal.reason ? fairMs : 0;
        pass.settle(hands.wereTheirsFor(enoughMs) ? signIn(thrown) : 'ignored');
        throw thrown;
      }
    };
    // Within, so that the circuit knows before the next in line begins; without, for the signal may end it first.
    return heard(this.#line.run(signal, () => heard(asked())));
  }
}

/** In whose hands a call is: who waits in line, or for a step of our own, is not in the upstream's. */
class Hands {
  #theirsSince: number | undefined;

  handOver(): void {
    this.#theirsSince = Date.now();
  }

  wereTheirsFor(ms: number): boolean {
    return this.#theirsSince !== undefined && Date.now() - this.#theirsSince >= ms;
  }

  readonly ourOwn: OurOwn = async (step) => {
    this.#theirsSince = undefined;
    await step();
    this.handOver();
  };
}

function signIn(thrown: unknown): CallSignal {
  if (!(thrown instanceof Fault) || thrown.variant === 'cancelled') return 'ignored';
  return TROUBLE.has(thrown.code) ? 'failure' : 'success';
}
