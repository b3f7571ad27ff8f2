import { CpuBudget } from '../../base/cpu-budget.ts';

/** Checking one value against one schema took more CPU time than it may. */
export class CpuBudgetExceeded extends Error {
  override readonly name = 'CpuBudgetExceeded';
}

/**
 * The budget of the check that runs now; checks are synchronous and do not nest. It is a variable of the module, because
 * ajv calls keywords, formats and patterns without a context, and one compiled schema serves many checks.
 */
let current = new CpuBudget(0);

/** Runs one check. Compiled schemas charge its budget through `spend`, because nothing can interrupt a validator. */
export function withCpuBudget<Result>(milliseconds: number, check: () => Result): Result {
  current = new CpuBudget(milliseconds);
  return check();
}

/** Charges the current check, in units of about a microsecond at most. */
export function spend(units: number): void {
  if (!current.spend(units)) throw new CpuBudgetExceeded('the check took too much CPU time');
}
