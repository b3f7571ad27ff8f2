/** Settles as the work does, or rejects with the signal's reason, whichever is first. The work itself is not stopped. */
export function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** Calls the listener once: now where the signal has already fired. */
export function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
}

/**
 * A signal that fires with the first of the given ones, for signals that live no longer than a call. `AbortSignal.any`
 * costs several times as much, because it also serves signals that live longer than what is made of them.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController();
  for (const signal of signals) onAbort(signal, () => first.abort(signal.reason));
  return first.signal;
}
