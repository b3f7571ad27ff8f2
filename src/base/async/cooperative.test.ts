import { describe, expect, it, vi } from 'vitest';
import { runCooperatively, runSync, type Steps } from './cooperative.ts';

function* countTo(steps: number, onStep: (step: number) => void = () => {}): Steps<number> {
  for (let step = 1; step <= steps; step++) {
    onStep(step);
    yield;
  }
  return steps;
}

/** The number of event-loop turns that other code gets while the work runs. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let running = true;
  const takeTurn = (): void => {
    turns++;
    if (running) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  await work;
  running = false;
  return turns;
}

describe('runSync', () => {
  it('returns the result of the last step', () => {
    expect(runSync(countTo(1_000))).toBe(1_000);
    expect(runSync(countTo(0))).toBe(0);
  });

  it('throws what a step throws', () => {
    const fail = (): void => {
      throw new Error('step failed');
    };
    expect(() => runSync(countTo(1, fail))).toThrow('step failed');
  });
});

describe('runCooperatively', () => {
  it('resolves with the result of the last step', async () => {
    expect(await runCooperatively(countTo(100))).toBe(100);
    expect(await runCooperatively(countTo(100), 5)).toBe(100);
  });

  it('rejects with what a step throws', async () => {
    const fail = (step: number): void => {
      if (step === 3) throw new Error('step failed');
    };
    await expect(runCooperatively(countTo(5, fail))).rejects.toThrow('step failed');
  });

  it('returns to the event loop after each step by default', async () => {
    expect(await turnsDuring(runCooperatively(countTo(50)))).toBeGreaterThanOrEqual(49);
  });

  it('runs several steps in one slice where a slice is given', async () => {
    const clock = vi.spyOn(performance, 'now');
    let now = 0;
    clock.mockImplementation(() => now);
    try {
      const advance = (): void => {
        now++;
      };
      const turns = await turnsDuring(runCooperatively(countTo(100, advance), 10));
      expect(turns).toBeGreaterThanOrEqual(9);
      expect(turns).toBeLessThanOrEqual(12);
    } finally {
      clock.mockRestore();
    }
  });
});
