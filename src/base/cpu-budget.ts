/** Given without a look at the clock: what people ask for ends within it. */
const GRANTED = 5_000;
const UNITS_BETWEEN_LOOKS = 2_000;

/**
 * What one question about an artifact may cost. Nothing can interrupt a loop over foreign input, so the loop pays for what
 * it does, in units of about a microsecond at most, and the clock is looked at now and then.
 */
export class CpuBudget {
  readonly #milliseconds: number;
  #unitsLeft = GRANTED;
  #endsAt: number | undefined;
  #isSpent = false;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Pays, and says whether there is any left. */
  spend(units: number): boolean {
    this.#unitsLeft -= units;
    if (this.#unitsLeft < 0 && !this.#isSpent) this.#lookAtClock();
    return !this.#isSpent;
  }

  #lookAtClock(): void {
    const now = millisecondsWorked();
    this.#endsAt ??= now + this.#milliseconds;
    this.#isSpent = now > this.#endsAt;
    this.#unitsLeft = UNITS_BETWEEN_LOOKS;
  }
}

/** Time that this thread had the processor: a busy machine must not make the difference between found and not found. */
function millisecondsWorked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
