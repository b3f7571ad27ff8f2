import type { ArtifactStore } from './artifact-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { ReceiptLog } from './receipt-log.ts';
import type { UsageStore } from './usage-store.ts';

/** Everything that one engine keeps. Opening one creates or migrates its schema; `close` waits for what is in flight. */
export interface Stores {
  readonly receipts: ReceiptLog;
  readonly artifacts: ArtifactStore;
  readonly usage: UsageStore;
  readonly idempotency: IdempotencyStore;
  close(): Promise<void>;
}
