import type { Receipt } from '../src/contract/call/receipt.ts';
import type { LogQuery, ReceiptLog } from '../src/contract/ports/receipt-log.ts';

/** The receipts of the calls in a log, newest first. */
export async function listReceipts(
  log: ReceiptLog,
  query: Omit<LogQuery, 'kind'> = { limit: 1_000 },
): Promise<readonly Receipt[]> {
  const entries = await log.list({ ...query, kind: 'call' });
  return entries.flatMap((entry) => (entry.kind === 'call' ? [entry.receipt] : []));
}
