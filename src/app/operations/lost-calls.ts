import type { Receipt } from '../../contract/call/receipt.ts';
import { DuplicateEntryError } from '../../contract/ports/receipt-log.ts';
import type { Stores } from '../../contract/ports/stores.ts';

/** The stores that hold idempotency keys and the log. */
export type Records = Pick<Stores, 'idempotency' | 'receipts'>;

/** Records the calls whose process ended between intent and result: as unknown, never as failed and never as done. */
export async function recordLostCalls(records: Records): Promise<void> {
  for (const receipt of await records.idempotency.findLost()) await recordLostCall(receipt, records);
}

/** The receipt is written first: a crash in between then records the call again rather than not at all. */
export async function recordLostCall(lost: Receipt, { idempotency, receipts }: Records): Promise<void> {
  await appendOnce(receipts, lost);
  await idempotency.markReported(lost.callId);
}

/** Another node may have recorded the call in the meantime. */
async function appendOnce(receipts: Stores['receipts'], receipt: Receipt): Promise<void> {
  if (await receipts.get(receipt.callId)) return;
  try {
    await receipts.append({ kind: 'call', receipt });
  } catch (error) {
    if (!(error instanceof DuplicateEntryError)) throw error;
  }
}
