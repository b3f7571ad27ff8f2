/** How long an upstream may still answer after the deadline of a call that may have had its effect. */
const GRACE_PERIOD_MS = 30_000;

/**
 * Fires when the answer is not wanted any more: at once when the caller cancels, and a grace period after the deadline. An
 * answer in between is too late for the caller, and still shows how the call ended.
 */
export function withGracePeriod(signal: AbortSignal): AbortSignal {
  const abandoned = new AbortController();
  const abandon = (): void => abandoned.abort(signal.reason);
  const end = (): void => {
    if (signal.reason?.code === 'CANCELLED') abandon();
    // A process that has nothing else to do must not stay alive for it.
    else setTimeout(abandon, GRACE_PERIOD_MS).unref();
  };
  signal.addEventListener('abort', end, { once: true });
  return abandoned.signal;
}
