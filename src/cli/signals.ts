/** Resolves at the first signal to stop; a second one ends the process at once. */
export function waitForSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      resolve();
      process.once(signal, () => process.exit(130));
    });
  }
  return promise;
}
