/**
 * Replaces `node:timers/promises` in tests with fake timers, which replace only the global timers.
 *   vi.mock('node:timers/promises', () => import('../../test/pause.ts'));
 */
function pause(ms: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  // Node truncates as well; fake timers read 2e-9 as 2.
  const timer = globalThis.setTimeout(() => resolve(value), Math.trunc(ms));
  const abort = (): void => {
    clearTimeout(timer);
    reject(new DOMException('The pause was aborted.', 'AbortError'));
  };
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return promise;
}

export { pause as setTimeout };
