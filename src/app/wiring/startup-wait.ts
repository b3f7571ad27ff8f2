/** How long a caller that is early waits for upstreams that are still starting. */
const STARTUP_TIMEOUT_MS = 10_000;

export interface CallerLimits {
  /** Epoch milliseconds. */
  readonly deadline?: number;
  readonly signal?: AbortSignal;
}

/** Waits until the upstreams have settled, and no longer than the caller would. */
export async function waitForStartup(
  settled: Promise<unknown>,
  { deadline = Number.POSITIVE_INFINITY, signal }: CallerLimits = {},
): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  const timer = setTimeout(stop, Math.max(Math.min(STARTUP_TIMEOUT_MS, deadline - Date.now()), 0));
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    await Promise.race([settled, over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
