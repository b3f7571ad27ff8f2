import { waitAtMost } from '../../base/async/timeout.ts';

/** How long an early caller waits for upstreams that are still starting. */
export const LONGEST_WAIT_MS = 10_000;

export interface CallerLimits {
  /** Epoch milliseconds. */
  readonly deadline?: number;
  readonly signal?: AbortSignal;
}

/** Waits until the upstreams have settled, but not beyond the caller's own deadline or cancellation. */
export async function waitForStartup(
  settled: Promise<unknown>,
  { deadline = Number.POSITIVE_INFINITY, signal }: CallerLimits = {},
): Promise<void> {
  await waitAtMost(settled, {
    ms: Math.max(Math.min(LONGEST_WAIT_MS, deadline - Date.now()), 0),
    signal,
  });
}
