import type { ArtifactStore } from './artifact-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { ReceiptLog } from './receipt-log.ts';
import type { UsageStore } from './usage-store.ts';

/** The stores of one engine. Opening them creates or migrates the schema; `close` waits for writes in flight. */
export interface Stores {
  readonly receipts: ReceiptLog;
  readonly artifacts: ArtifactStore;
  readonly usage: UsageStore;
  readonly idempotency: IdempotencyStore;
  /** Why the stores must not be used any more, such as a file that was removed while it is open. */
  readonly problem: string | undefined;
  /** Removes results and artifacts whose time is over. Callers run it at intervals. */
  removeExpired(): Promise<void>;
  /** Writes a consistent copy to a new file, where the engine has its data in files of its own. */
  backUp(file: string): Promise<void>;
  close(): Promise<void>;
}
