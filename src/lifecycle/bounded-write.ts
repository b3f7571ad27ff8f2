import type { CallDependencies } from './dependencies.ts';

/** How long a caller whose call has ended waits for that to be written down. */
const WRITE_TIMEOUT_MS = 2_000;

/**
 * Waits for a write, and not for ever. The effect has happened, or has not: the caller must learn which, even where it
 * could not be written down, and an operator must learn that.
 */
export async function writeWithTimeout(
  { events }: Pick<CallDependencies, 'events'>,
  { callId, what }: { readonly callId: string; readonly what: string },
  write: () => Promise<void>,
): Promise<void> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(new Error(`The store did not answer within ${WRITE_TIMEOUT_MS} ms.`));
  const timer = setTimeout(giveUp, WRITE_TIMEOUT_MS);
  try {
    await Promise.race([write(), tooLate]);
  } catch (cause) {
    events.publish({ type: 'trouble', callId, what, cause });
  } finally {
    clearTimeout(timer);
  }
}
