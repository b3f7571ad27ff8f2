import { settleAs } from './settle.ts';

/** Settles as the work does, or rejects with the signal's reason, whichever is first. The work itself is not stopped. */
export function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const raced = Promise.withResolvers<Value>();
  const abort = (): void => raced.reject(signal.reason);
  settleAs(raced, work, () => signal.removeEventListener('abort', abort));
  onAbort(signal, abort);
  return raced.promise;
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
