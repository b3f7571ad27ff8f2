import type { Database } from 'better-sqlite3';
import { DuplicateEntryError, type LogEntry, type ReceiptLog } from '../../contract/ports/receipt-log.ts';
import { COLUMNS, entryOf, type LogRow, type RecordedRow, receiptOf, rowOf } from '../shared/log-row.ts';
import { type OnLostEntries, RetriedAppends } from '../shared/retried-appends.ts';
import { toStoredText } from '../shared/stored-text.ts';
import { logIndex } from './log-index.ts';
import { logListing, SELECT_ENTRY } from './log-listing.ts';
import { logPruning } from './log-pruning.ts';
import type { WriteQueue } from './write-queue.ts';

export interface SqliteReceiptLog extends ReceiptLog {
  close(): Promise<void>;
}

export interface SqliteReceiptLogOptions {
  readonly queue: WriteQueue;
  readonly onLostEntries?: OnLostEntries | undefined;
}

// A caller whose call has ended does not wait for the lock of another process: the append is retried without it.
const MAX_LOCK_WAIT = { maxWaitMs: 500 };

export function sqliteReceiptLog(
  db: Database,
  { queue, onLostEntries }: SqliteReceiptLogOptions,
): SqliteReceiptLog {
  const insert = insertInto(db);
  const reads = {
    ofCall: db.prepare<[string], RecordedRow>(
      `${SELECT_ENTRY} FROM toolgate_log AS log WHERE call_id = ? ORDER BY seq`,
    ),
    receipt: db.prepare<[string], RecordedRow>(
      `${SELECT_ENTRY} FROM toolgate_log AS log WHERE call_id = ? AND kind = 'call'`,
    ),
    after: db.prepare<[number, number], RecordedRow>(
      `${SELECT_ENTRY} FROM toolgate_log AS log WHERE seq > ? ORDER BY seq LIMIT ?`,
    ),
    lastSeq: db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM toolgate_log').pluck(),
  };
  const listRows = logListing(db);
  const prune = logPruning(db, { insert, queue });
  const index = logIndex(db, queue);
  const appends = new RetriedAppends({
    write: (entry) => {
      index.schedule();
      return queue.writeNext(() => insert(entry), MAX_LOCK_WAIT);
    },
    isRefusal,
    onLost: onLostEntries,
  });
  // An earlier process may have ended before it indexed its last entries.
  index.schedule();

  return {
    append: (entry) => appends.append(entry),
    get health() {
      return appends.health;
    },
    get: async (callId) => {
      const row = reads.receipt.get(toStoredText(callId));
      return row && receiptOf(row);
    },
    entriesOf: async (callId) => reads.ofCall.all(toStoredText(callId)).map(entryOf),
    list: async (query) => {
      await index.catchUp();
      return listRows(query).map(entryOf);
    },
    read: async (after, limit) => reads.after.all(after, limit).map(entryOf),
    lastSeq: async () => reads.lastSeq.get()!,
    prune: async (request) => {
      await index.catchUp();
      return prune(request);
    },
    close: async () => {
      await appends.close();
      index.close();
    },
  };
}

function insertInto(db: Database): (entry: LogEntry) => number {
  const insert = db.prepare<[LogRow[keyof LogRow][]]>(
    `INSERT INTO toolgate_log (${COLUMNS.join(', ')})
     VALUES (${COLUMNS.map(() => '?').join(', ')}) ON CONFLICT (call_id, kind) DO NOTHING`,
  );
  return (entry) => {
    const row = rowOf(entry);
    const { changes, lastInsertRowid } = insert.run(COLUMNS.map((column) => row[column]));
    if (changes !== 1) throw new DuplicateEntryError(entry);
    return Number(lastInsertRowid);
  };
}

/** Whether the engine refused the values of a row. Every other error may pass: a full disk, a locked file. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return error instanceof TypeError || /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG)/.test(String(code));
}
