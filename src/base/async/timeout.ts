import { settleAs } from './settle.ts';

export interface TimeoutOptions {
  readonly ms: number;
  /** Makes the value that the wait rejects with. */
  readonly error: () => unknown;
}

/** Settles as the work does, or rejects after `ms` milliseconds. The work itself is not stopped. */
export function withTimeout<Result>(work: Promise<Result>, { ms, error }: TimeoutOptions): Promise<Result> {
  const timed = Promise.withResolvers<Result>();
  const timer = setTimeout(() => timed.reject(error()), ms);
  settleAs(timed, work, () => clearTimeout(timer));
  return timed.promise;
}

export interface WaitLimits {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when the work does, after `ms` milliseconds, or when the signal fires; rejects only where the work does. */
export async function waitAtMost(work: Promise<unknown>, { ms, signal }: WaitLimits): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  const timer = setTimeout(stop, ms);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
