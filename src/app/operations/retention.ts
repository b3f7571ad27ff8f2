import type { ReceiptLog } from '../../contract/ports/receipt-log.ts';

/** The principal of prunes that the configuration demands. */
export const RETENTION_PRINCIPAL = 'gateway:retention';

export interface RetentionOptions {
  /** 0 keeps entries for ever. */
  readonly keepDays: number;
  readonly onError: (cause: unknown) => void;
}

const DAY_MS = 86_400_000;
const SWEEP_INTERVAL_MS = 3_600_000;
// A command that opens the gateway for one call ends earlier, and never sweeps.
const FIRST_SWEEP_MS = 60_000;

/** The time before which entries are older than so many days. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

/** Prunes the log every hour. Returns a function that stops it. */
export function startRetention(receipts: ReceiptLog, { keepDays, onError }: RetentionOptions): () => void {
  if (keepDays === 0) return () => {};
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const sweep = async (): Promise<void> => {
    try {
      await receipts.prune({ before: daysAgo(keepDays), principalId: RETENTION_PRINCIPAL });
    } catch (cause) {
      // The store may be closed under a sweep; the next start continues it.
      if (!isStopped) onError(cause);
    }
  };
  const sweepIn = (ms: number): void => {
    timer = setTimeout(async () => {
      await sweep();
      if (!isStopped) sweepIn(SWEEP_INTERVAL_MS);
    }, ms).unref();
  };
  sweepIn(FIRST_SWEEP_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
