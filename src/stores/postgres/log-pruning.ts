import type { LogEntry, ReceiptLog } from '../../contract/ports/receipt-log.ts';
import { cutoffOf, pruneEntryOf } from '../shared/prune-entry.ts';
import type { PostgresConnections } from './connections.ts';

// One statement of this size stays far below the query timeout.
const STEP_SIZE = 2_000;

export function logPruning(
  db: PostgresConnections,
  append: (entry: LogEntry) => Promise<number>,
): ReceiptLog['prune'] {
  const log = db.table('toolgate_log');
  const isPrunable = `at < $1 AND seq NOT IN
    (SELECT entry.seq FROM ${db.table('toolgate_claims')} AS claim JOIN ${log} AS entry ON entry.call_id = claim.call_id
     WHERE claim.state <> 'done')`;
  const count = `SELECT count(*)::float8 AS count FROM ${log} WHERE ${isPrunable}`;
  // Never waits for a row, so two nodes that prune at once cannot deadlock.
  const remove = `DELETE FROM ${log} WHERE seq IN
    (SELECT seq FROM ${log} WHERE ${isPrunable} ORDER BY at LIMIT ${STEP_SIZE} FOR UPDATE SKIP LOCKED)
    RETURNING 1`;
  return async (request) => {
    const cutoff = cutoffOf(request);
    const [row] = await db.query<{ count: number }>({ text: count, values: [cutoff] });
    const prunable = row!.count;
    if (request.dryRun || prunable === 0) return prunable;
    await append(pruneEntryOf(request, cutoff, prunable));
    while ((await db.query({ text: remove, values: [cutoff] })).length === STEP_SIZE);
    return prunable;
  };
}
