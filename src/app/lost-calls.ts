import type { Stores } from '../contract/ports/stores.ts';
import type { Receipt } from '../contract/receipt.ts';

/**
 * Writes the receipts of calls whose process died between intent and result: unknown, never failed and never done. The
 * receipt comes first, so that a crash in here tells of a call again rather than not at all.
 */
export async function tellOfLostCalls({ claims, receipts }: Stores): Promise<void> {
  for (const receipt of await claims.lost()) {
    await appendOnce(receipts, receipt);
    await claims.told(receipt.callId);
  }
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
