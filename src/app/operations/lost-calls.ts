import type { Receipt } from '../../contract/call/receipt.ts';
import type { Stores } from '../../contract/ports/stores.ts';

/** Where keys and receipts lie. */
export type Records = Pick<Stores, 'idempotency' | 'receipts'>;

/** Writes the receipts of calls whose process died between intent and result: unknown, never failed and never done. */
export async function recordLostCalls(records: Records): Promise<void> {
  for (const receipt of await records.idempotency.findLost()) await recordLostCall(receipt, records);
}

/** The receipt comes first, so that a crash in here tells of a call again rather than not at all. */
export async function recordLostCall(lost: Receipt, { idempotency, receipts }: Records): Promise<void> {
  await appendOnce(receipts, lost);
  await idempotency.markReported(lost.callId);
}

/** Another node may have told of it in the meantime. */
async function appendOnce(receipts: Stores['receipts'], receipt: Receipt): Promise<void> {
  if (await receipts.get(receipt.callId)) return;
  try {
    await receipts.append(receipt);
  } catch (thrown) {
    if (!(await receipts.get(receipt.callId))) throw thrown;
  }
}
