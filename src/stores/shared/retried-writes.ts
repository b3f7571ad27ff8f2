import type { IdempotencyStore } from '../../contract/ports/idempotency-store.ts';

/** The writes that end a claim. */
export type TerminalWrites = Pick<IdempotencyStore, 'complete' | 'release' | 'markUnknown'>;

export interface RetriedWrites extends TerminalWrites {
  /** Tries every failed write once more. */
  retryPending(): Promise<void>;
}

// Bounds the memory that an outage of the store can take.
const MAX_PENDING = 1_000;

/**
 * Retries failed terminal writes with every heartbeat, so that no key stays held by a call that has ended. The last write
 * of a call replaces earlier ones. A key whose result can never be written becomes unknown.
 */
export function retriedWrites(engine: TerminalWrites): RetriedWrites {
  const pending = new Map<string, () => Promise<void>>();
  let retrying: Promise<unknown> | undefined;

  const enqueue = (callId: string, write: () => Promise<void>): void => {
    pending.set(callId, write);
    if (pending.size > MAX_PENDING) pending.delete(pending.keys().next().value!);
  };
  const attempt = async (callId: string, write: () => Promise<void>, retry = write): Promise<void> => {
    pending.delete(callId);
    try {
      await write();
    } catch (error) {
      enqueue(callId, retry);
      throw error;
    }
  };
  const retryOne = async ([callId, write]: [string, () => Promise<void>]): Promise<void> => {
    await write();
    if (pending.get(callId) === write) pending.delete(callId);
  };
  const completeOrMarkUnknown = async (scope: string, callId: string, result: string): Promise<void> => {
    try {
      await engine.complete(scope, callId, result);
    } catch (error) {
      await engine.markUnknown(scope, callId);
      throw error;
    }
  };

  return {
    complete: (scope, callId, result) =>
      attempt(
        callId,
        () => engine.complete(scope, callId, result),
        () => completeOrMarkUnknown(scope, callId, result),
      ),
    release: (scope, callId) => attempt(callId, () => engine.release(scope, callId)),
    markUnknown: (scope, callId) => attempt(callId, () => engine.markUnknown(scope, callId)),
    retryPending: async () => {
      retrying ??= Promise.allSettled([...pending].map(retryOne)).finally(() => {
        retrying = undefined;
      });
      await retrying;
    },
  };
}
