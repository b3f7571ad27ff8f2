/** Checking one value against one schema took more than we give. */
export class CpuBudgetExceeded extends Error {
  override readonly name = 'OutOfEffort';
}

/** Given without a look at the clock: ordinary calls end within it. */
const GRANTED = 5_000;
const UNITS_BETWEEN_LOOKS = 2_000;

let unitsLeft = 0;
let millisecondsGiven = 0;
let endsAt: number | undefined;

/**
 * Runs one check, bounded in time. Nothing can interrupt a validator, so the schema's own code pays for what it does, in
 * units of at most about a microsecond, and the clock is looked at now and then. Checks are synchronous and never nest.
 */
export function withCpuBudget<Result>(milliseconds: number, check: () => Result): Result {
  unitsLeft = GRANTED;
  millisecondsGiven = milliseconds;
  endsAt = undefined;
  return check();
}

export function spend(units: number): void {
  unitsLeft -= units;
  if (unitsLeft < 0) lookAtClock();
}

function lookAtClock(): void {
  const now = millisecondsWorked();
  endsAt ??= now + millisecondsGiven;
  if (now > endsAt) throw new CpuBudgetExceeded('out of effort');
  unitsLeft = UNITS_BETWEEN_LOOKS;
}

/** Time that this thread had the processor: a busy machine must not make the difference between right and wrong. */
function millisecondsWorked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
