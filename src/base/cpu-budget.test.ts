import { describe, expect, it } from 'vitest';
import { CpuBudget } from './cpu-budget.ts';

/** How often it lets one spend. */
function spends(effort: CpuBudget, units: number): number {
  let count = 0;
  while (effort.spend(units) && count < 1e7) count++;
  return count;
}

describe('effort', () => {
  it('is given without a look at the clock at first, and is spent for good', () => {
    const effort = new CpuBudget(0);
    expect(spends(effort, 100)).toBeGreaterThanOrEqual(50);
    expect(effort.spend(0)).toBe(false);
    expect(effort.spend(0)).toBe(false);
  });

  it('ends with the time that it has', () => {
    const began = performance.now();
    const count = spends(new CpuBudget(20), 1);
    expect(count).toBeLessThan(1e7);
    expect(performance.now() - began).toBeGreaterThanOrEqual(15);
  });

  it('lasts longer where more is given', () => {
    expect(spends(new CpuBudget(40), 1)).toBeGreaterThan(spends(new CpuBudget(5), 1));
  });
});
