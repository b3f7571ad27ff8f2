/** What the work comes to, or the signal's reason, whichever is first. The work goes on where it does not listen. */
export function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
