import type { Gate } from './dependencies.ts';

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
  const giveUp = (): void => reject(new Error(`The store did not answer within ${PATIENCE_MS} ms.`));
  const timer = setTimeout(giveUp, PATIENCE_MS);
  try {
    await Promise.race([write(), tooLate]);
  } catch (cause) {
    events.publish({ type: 'trouble', callId, what, cause });
  } finally {
    clearTimeout(timer);
  }
}
