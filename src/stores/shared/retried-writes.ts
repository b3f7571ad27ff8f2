import type { ClaimStore } from '../../contract/ports/idempotency-store.ts';

/** The writes that say how a call ended. */
export type Ends = Pick<ClaimStore, 'seal' | 'release' | 'doubt'>;

export interface WrittenInTheEnd extends Ends {
  /** Tries once more what could not be written. */
  again(): Promise<void>;
}

// An engine that takes claims and refuses every end must not fill the memory.
const MAX_OWED = 1_000;

/**
 * Lets no key stay taken by a call that is over: an end that the engine refused is owed, and tried again with every sign of
 * life. The last word of a call counts. Where a result can never be written, its key becomes unknown rather than stuck.
 */
export function writtenInTheEnd(engine: Ends): WrittenInTheEnd {
  const owed = new Map<string, () => Promise<void>>();
  let trying: Promise<unknown> | undefined;

  const owe = (callId: string, end: () => Promise<void>): void => {
    owed.set(callId, end);
    if (owed.size > MAX_OWED) owed.delete(owed.keys().next().value!);
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
    seal: (scope, callId, result) =>
      write(
        callId,
        () => engine.seal(scope, callId, result),
        async () => {
          try {
            await engine.seal(scope, callId, result);
          } catch (refusal) {
            await engine.doubt(scope, callId);
            throw refusal;
          }
        },
      ),
    release: (scope, callId) => write(callId, () => engine.release(scope, callId)),
    doubt: (scope, callId) => write(callId, () => engine.doubt(scope, callId)),
    again: async () => {
      trying ??= Promise.allSettled([...owed].map(tryAgain)).finally(() => {
        trying = undefined;
      });
      await trying;
    },
  };
}
