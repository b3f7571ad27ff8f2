import type { IdempotencyStore } from '../../contract/ports/idempotency-store.ts';

/** The writes that say how a call ended. */
export type TerminalWrites = Pick<IdempotencyStore, 'complete' | 'release' | 'markUnknown'>;

export interface RetriedWrites extends TerminalWrites {
  /** Tries once more what could not be written. */
  retryPending(): Promise<void>;
}

// An engine that takes claims and refuses every end must not fill the memory.
const MAX_PENDING = 1_000;

/**
 * Lets no key stay taken by a call that is over: an end that the engine refused is owed, and tried again with every sign of
 * life. The last word of a call counts. Where a result can never be written, its key becomes unknown rather than stuck.
 */
export function retriedWrites(engine: TerminalWrites): RetriedWrites {
  const owed = new Map<string, () => Promise<void>>();
  let trying: Promise<unknown> | undefined;

  const owe = (callId: string, end: () => Promise<void>): void => {
    owed.set(callId, end);
    if (owed.size > MAX_PENDING) owed.delete(owed.keys().next().value!);
  };
  const write = async (callId: string, end: () => Promise<void>, later = end): Promise<void> => {
    owed.delete(callId);
    try {
      await end();
    } catch (refusal) {
      owe(callId, later);
      throw refusal;
    }
  };
  const tryAgain = async ([callId, end]: [string, () => Promise<void>]): Promise<void> => {
    await end();
    if (owed.get(callId) === end) owed.delete(callId);
  };

  return {
    complete: (scope, callId, result) =>
      write(
        callId,
        () => engine.complete(scope, callId, result),
        async () => {
          try {
            await engine.complete(scope, callId, result);
          } catch (refusal) {
            await engine.markUnknown(scope, callId);
            throw refusal;
          }
        },
      ),
    release: (scope, callId) => write(callId, () => engine.release(scope, callId)),
    markUnknown: (scope, callId) => write(callId, () => engine.markUnknown(scope, callId)),
    retryPending: async () => {
      trying ??= Promise.allSettled([...owed].map(tryAgain)).finally(() => {
        trying = undefined;
      });
      await trying;
    },
  };
}
