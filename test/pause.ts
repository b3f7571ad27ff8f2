/**
 * Stands in for `node:timers/promises` where a test has the clock in its hands: fake clocks know the global timers only.
 *   vi.mock('node:timers/promises', () => import('../../test/pause.ts'));
 */
function pause(ms: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  // As Node does it; fake clocks read 2e-9 as 2.
  const timer = globalThis.setTimeout(() => resolve(value), Math.trunc(ms));
  const abort = (): void => {
    clearTimeout(timer);
    reject(new DOMException('The pause was ended.', 'AbortError'));
  };
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return promise;
}

export { pause as setTimeout };
