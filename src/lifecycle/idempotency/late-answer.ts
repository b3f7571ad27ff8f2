/** How long an upstream is heard after the deadline of a call that may have had its effect. */
const PATIENCE_MS = 30_000;

/**
 * Fires when nobody waits for an answer any more: at once where the caller cancels, and a good while after the deadline
 * where only time ran out. What comes in between is too late for the caller and still tells how the call ended.
 */
export function withGracePeriod(signal: AbortSignal): AbortSignal {
  const givenUp = new AbortController();
  const giveUp = (): void => givenUp.abort(signal.reason);
  const end = (): void => {
    if (signal.reason?.variant === 'cancelled') giveUp();
    // A process that has nothing else to do must not stay for it.
    else setTimeout(giveUp, PATIENCE_MS).unref();
  };
  signal.addEventListener('abort', end, { once: true });
  return givenUp.signal;
}
