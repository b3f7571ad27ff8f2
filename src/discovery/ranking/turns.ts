import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be interrupted: it yields between pieces of about a millisecond. */
export type Work<Result> = Generator<void, Result>;

/** How long one turn of the event loop may be spent on it while callers wait for other things. */
const TURN_MS = 10;

export function runSync<Result>(work: Work<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

export async function runCooperatively<Result>(work: Work<Result>): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
