import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { LogEntry, ReceiptLog } from '../../contract/ports/receipt-log.ts';
import { cutoffOf, pruneEntryOf } from '../shared/prune-entry.ts';
import type { WriteQueue } from './write-queue.ts';

// A transaction of this size blocks the event loop for a few milliseconds.
const STEP_SIZE = 200;
const MAX_LOCK_WAIT = { maxWaitMs: 5_000 };

const IS_PRUNABLE = `at < ? AND seq NOT IN
  (SELECT log.seq FROM toolgate_open_claims AS open JOIN toolgate_log AS log ON log.call_id = open.call_id)`;

/** Expects that the whole log is indexed. */
export function logPruning(
  db: Database,
  { insert, queue }: { readonly insert: (entry: LogEntry) => number; readonly queue: WriteQueue },
): ReceiptLog['prune'] {
  const count = db
    .prepare<[number], number>(`SELECT count(*) FROM toolgate_log_index WHERE ${IS_PRUNABLE}`)
    .pluck();
  const select = db
    .prepare<[number], number>(
      `SELECT seq FROM toolgate_log_index WHERE ${IS_PRUNABLE} ORDER BY at LIMIT ${STEP_SIZE}`,
    )
    .pluck();
  const removeEntry = db.prepare<[number]>('DELETE FROM toolgate_log WHERE seq = ?');
  const removeFromIndex = db.prepare<[number]>('DELETE FROM toolgate_log_index WHERE seq = ?');
  const removeStep = (before: number): number => {
    const found = select.all(before);
    for (const seq of found) {
      removeEntry.run(seq);
      removeFromIndex.run(seq);
    }
    return found.length;
  };
  return async (request) => {
    const cutoff = cutoffOf(request);
    const before = Date.parse(cutoff);
    const prunable = count.get(before)!;
    if (request.dryRun || prunable === 0) return prunable;
    // It also keeps the greatest sequence number in the table, from which the next one is made.
    await queue.write(() => insert(pruneEntryOf(request, cutoff, prunable)), MAX_LOCK_WAIT);
    while ((await queue.write(() => removeStep(before), MAX_LOCK_WAIT)) === STEP_SIZE) await nextTurn();
    return prunable;
  };
}
