export interface TimeoutOptions {
  readonly ms: number;
  /** Makes what the wait is rejected with. */
  readonly error: () => unknown;
}

/** Settles as `work` does, or rejects after `ms` milliseconds; `work` itself goes on. */
export async function withTimeout<Result>(
  work: Promise<Result>,
  { ms, error }: TimeoutOptions,
): Promise<Result> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(error()), ms);
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
