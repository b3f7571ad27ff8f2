/** What the lines that nobody waits for cost, in the time that the SDK takes for one notification. */
export const COST = { notification: 1, brokenJson: 0.5, unknownAnswer: 0.2, text: 0.05 } as const;

/** About a tenth of the time of a core. */
const COST_PER_SECOND = 2_000;
const COST_PER_TURN = 50;
const BYTES_PER_COST = 8_192;
const YIELD_MS = 1;
const PAUSE_MS = 100;

/**
 * Limits the time that the gateway spends on output of one server that is not an answer, so that a flood from it leaves
 * the time to others. Costs are counted, not measured: a busy machine must not slow down a quiet server.
 */
export class OutputBudget {
  readonly #now: () => number;
  #left = COST_PER_SECOND;
  #turn = 0;
  #filledAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#filledAt = now();
  }

  /** Whether the server has written more than one second's worth ahead of its budget. */
  get isExhausted(): boolean {
    return this.#left <= 0;
  }

  spend(cost: number, bytes: number): void {
    const spent = cost + bytes / BYTES_PER_COST;
    this.#left -= spent;
    this.#turn += spent;
  }

  /** How long to read nothing: a moment for other work, or until the budget allows more. Usually zero. */
  waitMs(): number {
    if (this.#turn < COST_PER_TURN && !this.isExhausted) return 0;
    const now = this.#now();
    const earned = ((now - this.#filledAt) * COST_PER_SECOND) / 1_000;
    this.#left = Math.min(this.#left + earned, COST_PER_SECOND);
    this.#filledAt = now;
    this.#turn = 0;
    return this.isExhausted ? PAUSE_MS + (-this.#left * 1_000) / COST_PER_SECOND : YIELD_MS;
  }
}
