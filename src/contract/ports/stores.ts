import type { ArtifactStore } from './artifacts.ts';
import type { ReceiptStore } from './receipts.ts';

/** Everything that one engine keeps. Opening one creates or migrates its schema; `close` waits for what is in flight. */
export interface Stores {
  readonly receipts: ReceiptStore;
  readonly artifacts: ArtifactStore;
  close(): Promise<void>;
}
