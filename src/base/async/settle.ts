/**
 * Settles a promise as the work does, unless it was settled before, and then releases what else could have settled it. Every
 * call waits so several times: `Promise.race` with `finally` costs three times as much.
 */
export function settleAs<Value>(
  { resolve, reject }: Pick<PromiseWithResolvers<Value>, 'resolve' | 'reject'>,
  work: Promise<Value>,
  release: () => void,
): void {
  work.then(
    (value) => {
      release();
      resolve(value);
    },
    (reason: unknown) => {
      release();
      reject(reason);
    },
  );
}
