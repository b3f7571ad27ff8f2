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
  close(): Promise<void>;
}
