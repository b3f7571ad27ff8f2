import { backoffMs } from '../../base/async/backoff.ts';
import {
  DuplicateEntryError,
  type LogEntry,
  type LogHealth,
  type ReceiptLog,
} from '../../contract/ports/receipt-log.ts';

/** Called with entries that will never be in the log. */
export type OnLostEntries = (entries: readonly LogEntry[], cause: unknown) => void;

export interface AppendOptions {
  readonly write: ReceiptLog['append'];
  /** Whether the engine refused the entry itself, so that no retry can succeed. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly onLost?: OnLostEntries | undefined;
}

export interface RetriedAppends extends Pick<ReceiptLog, 'append' | 'health'> {
  /** Makes one more attempt for what is pending, and reports the rest as lost. */
  close(): Promise<void>;
}

// Bounds the memory that an outage of the store can take.
const MAX_PENDING = 10_000;
const BATCH_SIZE = 500;

/** Retries failed appends with backoff, in their order, until they are written or the log is closed. */
export function retriedAppends({ write, isRefusal, onLost = () => {} }: AppendOptions): RetriedAppends {
  const pending = new Set<LogEntry>();
  let lost = 0;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let lastError: unknown;

  function giveUp(entries: readonly LogEntry[], cause: unknown): void {
    for (const entry of entries) pending.delete(entry);
    lost += entries.length;
    if (entries.length > 0) onLost(entries, cause);
  }

  function enqueue(entry: LogEntry, cause: unknown): void {
    pending.add(entry);
    if (isClosed) giveUp([entry], cause);
    else schedule();
    if (pending.size > MAX_PENDING) giveUp([pending.values().next().value!], cause);
  }

  function schedule(): void {
    timer ??= setTimeout(
      () => {
        running = retry();
      },
      backoffMs(failures + 1),
    ).unref();
  }

  async function retry(): Promise<void> {
    const isAvailable = await writePending();
    timer = undefined;
    failures = isAvailable ? 0 : failures + 1;
    if (pending.size > 0 && !isClosed) schedule();
  }

  /** Resolves to false when the store is still not available. */
  async function writePending(): Promise<boolean> {
    while (pending.size > 0) {
      const batch = [...pending].slice(0, BATCH_SIZE);
      const results = await Promise.allSettled(batch.map((entry) => write(entry)));
      let isAvailable = true;
      results.forEach((result, at) => {
        const entry = batch[at]!;
        // An earlier attempt may have been committed although its answer was lost.
        if (result.status === 'fulfilled' || result.reason instanceof DuplicateEntryError) {
          pending.delete(entry);
        } else if (isRefusal(result.reason)) giveUp([entry], result.reason);
        else {
          isAvailable = false;
          lastError = result.reason;
        }
      });
      if (!isAvailable) return false;
    }
    return true;
  }

  return {
    async append(entry) {
      try {
        return await write(entry);
      } catch (error) {
        const isFinal = error instanceof DuplicateEntryError || isRefusal(error);
        if (entry.kind !== 'intent' && !isFinal) enqueue(entry, error);
        throw error;
      }
    },
    get health(): LogHealth {
      return { pending: pending.size, lost };
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
      await writePending();
      giveUp([...pending], lastError);
    },
  };
}
