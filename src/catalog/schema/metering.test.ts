import { describe, expect, it } from 'vitest';
import { CpuBudgetExceeded, spend, withCpuBudget } from './metering.ts';

function burn(milliseconds: number): void {
  const began = process.threadCpuUsage();
  for (let spent = 0; spent < milliseconds; ) {
    const { user, system } = process.threadCpuUsage(began);
    spent = (user + system) / 1_000;
  }
}

describe('withCpuBudget', () => {
  it('lets an ordinary check finish without reading the clock', () => {
    expect(
      withCpuBudget(1, () => {
        spend(1_000);
        burn(20);
        spend(1_000);
        return 'done';
      }),
    ).toBe('done');
  });

  it('stops a check that did much work and used up its time', () => {
    const endless = (): never => {
      for (;;) {
        spend(100_000);
        burn(1);
      }
    };
    expect(() => withCpuBudget(20, endless)).toThrow(CpuBudgetExceeded);
  });

  it('lets a check do much work in little time', () => {
    expect(
      withCpuBudget(5_000, () => {
        for (let i = 0; i < 100_000; i++) spend(1);
        return 'done';
      }),
    ).toBe('done');
  });

  it('starts a new budget for each check', () => {
    for (let check = 0; check < 50; check++) {
      expect(withCpuBudget(0, () => spend(4_000))).toBeUndefined();
    }
  });
});
