import type { Gate } from './gate.ts';

/** How long a caller whose call has ended waits for that to be written down. */
const PATIENCE_MS = 2_000;

/**
 * Waits for a write, and not for ever. The effect has happened, or has not: the caller must learn which, even where it
 * could not be written down, and an operator must learn that.
 */
export async function writtenDown(
  { events }: Pick<Gate, 'events'>,
  { callId, what }: { readonly callId: string; readonly what: string },
  write: () => Promise<void>,
): Promise<void> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const waiter: Waiter = { since: performance.now(), giveUp: reject };
  waiting.add(waiter);
  watch();
  try {
    await Promise.race([write(), tooLate]);
  } catch (cause) {
    events.publish({ type: 'trouble', callId, what, cause });
  } finally {
    waiting.delete(waiter);
  }
}

interface Waiter {
  readonly since: number;
  readonly giveUp: (reason: Error) => void;
}

/** In the order of their coming, and of their going: all have the same patience. */
const waiting = new Set<Waiter>();
let watching: NodeJS.Timeout | undefined;

/** One clock for all: nearly every write ends long before, and two timers for each call would cost more than waiting. */
function watch(): void {
  watching ??= setTimeout(() => {
    watching = undefined;
    for (const { since, giveUp } of waiting) {
      if (performance.now() - since < PATIENCE_MS) break;
      giveUp(new Error(`The store did not answer within ${PATIENCE_MS} ms.`));
    }
    if (waiting.size > 0) watch();
  }, PATIENCE_MS / 8).unref();
}
