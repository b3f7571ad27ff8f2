import { describe, expect, it } from 'vitest';
import { CpuBudget } from './cpu-budget.ts';

/** How often the budget accepts a charge of so many units. */
function acceptedCharges(budget: CpuBudget, units: number): number {
  let count = 0;
  while (budget.spend(units) && count < 1e7) count++;
  return count;
}

function burn(milliseconds: number): void {
  const began = process.threadCpuUsage();
  for (let spent = 0; spent < milliseconds; ) {
    const { user, system } = process.threadCpuUsage(began);
    spent = (user + system) / 1_000;
  }
}

describe('CpuBudget', () => {
  it('accepts the first units without reading the clock, and stays spent afterwards', () => {
    const budget = new CpuBudget(0);
    expect(acceptedCharges(budget, 100)).toBeGreaterThanOrEqual(50);
    expect(budget.spend(0)).toBe(false);
    expect(budget.spend(0)).toBe(false);
  });

  it('ends with its time', () => {
    const began = performance.now();
    const count = acceptedCharges(new CpuBudget(20), 1);
    expect(count).toBeLessThan(1e7);
    expect(performance.now() - began).toBeGreaterThanOrEqual(15);
  });

  it('lasts longer with more time', () => {
    expect(acceptedCharges(new CpuBudget(40), 1)).toBeGreaterThan(acceptedCharges(new CpuBudget(5), 1));
  });

  it('starts its time at the first look at the clock, not when it is made', () => {
    const budget = new CpuBudget(5);
    burn(20);
    expect(budget.spend(5_001)).toBe(true);
    burn(20);
    expect(budget.spend(2_001)).toBe(false);
  });
});
