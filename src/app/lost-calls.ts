import type { Stores } from '../contract/ports/stores.ts';

/**
 * Writes the receipts of calls whose process died between intent and result: unknown, never failed and never done. The
 * receipt comes first, so that a crash in here tells of a call again rather than not at all.
 */
export async function tellOfLostCalls({ claims, receipts }: Stores): Promise<void> {
  for (const receipt of await claims.lost()) {
    if ((await receipts.get(receipt.callId)) === undefined) await receipts.append(receipt);
    await claims.told(receipt.callId);
  }
}
