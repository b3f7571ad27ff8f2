import { describe, expect, it } from 'vitest';
import { CpuBudgetExceeded, spend, withCpuBudget } from './effort.ts';

function burn(milliseconds: number): void {
  const began = process.threadCpuUsage();
  for (let spent = 0; spent < milliseconds; ) {
    const { user, system } = process.threadCpuUsage(began);
    spent = (user + system) / 1_000;
  }
}

describe('effort', () => {
  it('lets an ordinary check end, however long it was kept from the processor', () => {
    expect(
      withCpuBudget(1, () => {
        spend(1_000);
        burn(20);
        spend(1_000);
        return 'done';
      }),
    ).toBe('done');
  });

  it('ends when much was done and its time is over', () => {
    const endless = (): never => {
      for (;;) {
        spend(100_000);
        burn(1);
      }
    };
    expect(() => withCpuBudget(20, endless)).toThrow(CpuBudgetExceeded);
  });

  it('lets much be done that takes little time', () => {
    expect(
      withCpuBudget(5_000, () => {
        for (let i = 0; i < 100_000; i++) spend(1);
        return 'done';
      }),
    ).toBe('done');
  });

  it('begins anew with each check', () => {
    for (let check = 0; check < 50; check++) {
      expect(withCpuBudget(0, () => spend(4_000))).toBeUndefined();
    }
  });
});
