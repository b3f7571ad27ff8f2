import type { Receipt } from '../call/receipt.ts';

export interface ReceiptQuery {
  readonly principalId?: string;
  readonly toolId?: string;
  readonly status?: Receipt['status'];
  /** Only receipts older than this call: the cursor of the next page. */
  readonly before?: string;
  readonly limit: number;
}

/**
 * The log of what was asked and what became of it. An implementation
 * - has the receipt on stable storage when `append` resolves, and keeps it through a crash of the process;
 * - refuses a second receipt of one call id by rejecting, and leaves the first as it is;
 * - returns what it was given, field by field, whatever characters it holds;
 * - lists newest first, in the order of arrival where the times are equal, without gaps or repeats across pages.
 */
export interface ReceiptStore {
  append(receipt: Receipt): Promise<void>;
  get(callId: string): Promise<Receipt | undefined>;
  list(query: ReceiptQuery): Promise<readonly Receipt[]>;
}
