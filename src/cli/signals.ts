import type { Logger } from '../app/logger.ts';

/** Resolves at the first signal to stop; a second one, of either kind, ends the process at once. */
export function waitForSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      resolve();
    });
  }
  return promise;
}

/** By convention SIGHUP asks a service to reload its config. Without a listener it would end the process. */
export function ignoreHangup(log: Logger): void {
  process.on('SIGHUP', () =>
    log.warn('SIGHUP ignored: the config cannot be reloaded yet. Restart the gateway to apply changes.'),
  );
}
