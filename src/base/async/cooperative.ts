import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Work on large input, as a generator that yields between small steps. Other code may run at each yield, so a step must
 * not rely on shared state that other code can change.
 */
export type Steps<Result> = Generator<undefined, Result>;

/** Runs all steps in one go, for callers that cannot wait. */
export function runSync<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs the steps and returns to the event loop whenever a slice of `sliceMs` is used up; by default after each step. */
export async function runCooperatively<Result>(steps: Steps<Result>, sliceMs = 0): Promise<Result> {
  let sliceStart = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - sliceStart < sliceMs) continue;
    await nextTurn();
    sliceStart = performance.now();
  }
}
