/** Units that cost no look at the clock: ordinary work ends within them. */
const FREE_UNITS = 5_000;
const UNITS_BETWEEN_LOOKS = 2_000;

/**
 * A limit on the CPU time of one synchronous piece of work. Nothing can interrupt a loop over untrusted input, so the
 * loop charges the budget for what it does, in units of a microsecond at most; the clock is read every 2,000 units.
 */
export class CpuBudget {
  readonly #milliseconds: number;
  #unitsLeft = FREE_UNITS;
  #endsAt: number | undefined;
  #isSpent = false;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Charges the units; false once the budget is spent. */
  spend(units: number): boolean {
    this.#unitsLeft -= units;
    if (this.#unitsLeft < 0 && !this.#isSpent) this.#readClock();
    return !this.#isSpent;
  }

  #readClock(): void {
    const now = threadCpuMs();
    this.#endsAt ??= now + this.#milliseconds;
    this.#isSpent = now > this.#endsAt;
    this.#unitsLeft = UNITS_BETWEEN_LOOKS;
  }
}

/** CPU time of this thread, not wall time: the load of the machine must not change a result. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
