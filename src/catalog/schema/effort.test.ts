import { describe, expect, it } from 'vitest';
import { OutOfEffort, spend, withEffort } from './effort.ts';

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
      withEffort(1, () => {
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
    expect(() => withEffort(20, endless)).toThrow(OutOfEffort);
  });

  it('lets much be done that takes little time', () => {
    expect(
      withEffort(5_000, () => {
        for (let i = 0; i < 100_000; i++) spend(1);
        return 'done';
      }),
    ).toBe('done');
  });

  it('begins anew with each check', () => {
    for (let check = 0; check < 50; check++) {
      expect(withEffort(0, () => spend(4_000))).toBeUndefined();
    }
  });
});
