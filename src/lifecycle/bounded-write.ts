import { withTimeout } from '../base/async/timeout.ts';
import type { CallEvents } from './events.ts';

/** How long a caller whose call has ended waits for a store to record that. */
const WRITE_TIMEOUT_MS = 2_000;

/**
 * Waits for a write, but not for ever. The call has ended: its caller gets the outcome even when the store does not answer,
 * and an operator learns that the write is missing.
 */
export async function writeWithTimeout(
  events: CallEvents,
  { callId, what }: { readonly callId: string; readonly what: string },
  write: () => Promise<unknown>,
): Promise<void> {
  const error = (): Error => new Error(`The store did not answer within ${WRITE_TIMEOUT_MS} ms.`);
  try {
    await withTimeout(write(), { ms: WRITE_TIMEOUT_MS, error });
  } catch (cause) {
    events.publish({ type: 'trouble', callId, what, cause });
  }
}
