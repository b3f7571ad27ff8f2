import type { ArtifactStore } from './artifacts.ts';
import type { ClaimStore } from './claims.ts';
import type { ReceiptStore } from './receipts.ts';
import type { UsageStore } from './usage.ts';

/** Everything that one engine keeps. Opening one creates or migrates its schema; `close` waits for what is in flight. */
export interface Stores {
  readonly receipts: ReceiptStore;
  readonly artifacts: ArtifactStore;
  readonly usage: UsageStore;
  readonly claims: ClaimStore;
  close(): Promise<void>;
}
