import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work on what may be megabytes. Where it yields, others may have a turn; it keeps nothing that they could disturb. */
export type Steps<Outcome> = Generator<undefined, Outcome>;

export function runSync<Outcome>(steps: Steps<Outcome>): Outcome {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export async function runCooperatively<Outcome>(steps: Steps<Outcome>): Promise<Outcome> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}
