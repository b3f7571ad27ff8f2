import { DatabaseError } from 'pg';
import { DuplicateEntryError, type LogEntry, type ReceiptLog } from '../../contract/ports/receipt-log.ts';
import { COLUMNS, entryOf, type RecordedRow, receiptOf, rowOf } from '../shared/log-row.ts';
import { type OnLostEntries, RetriedAppends } from '../shared/retried-appends.ts';
import { toStoredText } from '../shared/stored-text.ts';
import { appendBatch, type BatchOutcome } from './append-batch.ts';
import type { PostgresConnections } from './connections.ts';
import { listingOf, SELECTED_COLUMNS } from './log-listing.ts';
import { logPruning } from './log-pruning.ts';

export interface PostgresReceiptLog extends ReceiptLog {
  close(): Promise<void>;
}

export function postgresReceiptLog(
  db: PostgresConnections,
  onLostEntries?: OnLostEntries | undefined,
): PostgresReceiptLog {
  const table = db.table('toolgate_log');
  const batch = appendBatch((entries: readonly LogEntry[]) => insertBatch(db, entries));
  const appends = new RetriedAppends({ write: batch.append, isRefusal, onLost: onLostEntries });
  const select = (name: string, rest: string, values: readonly unknown[]): Promise<RecordedRow[]> =>
    db.query<RecordedRow>({
      name: `toolgate_log_${name}`,
      text: `SELECT ${SELECTED_COLUMNS} FROM ${table} AS log ${rest}`,
      values: [...values],
    });

  return {
    append: (entry) => appends.append(entry),
    get health() {
      return appends.health;
    },
    get: async (callId) => {
      const where = `WHERE call_id = $1 AND kind = 'call'`;
      const [row] = await select('get', where, [toStoredText(callId)]);
      return row && receiptOf(row);
    },
    entriesOf: async (callId) => {
      const rows = await select('of_call', 'WHERE call_id = $1 ORDER BY log.seq', [toStoredText(callId)]);
      return rows.map(entryOf);
    },
    list: async (query) => (await db.query<RecordedRow>(listingOf(query, table))).map(entryOf),
    read: async (after, limit) => {
      const rows = await select('read', 'WHERE seq > $1 ORDER BY log.seq LIMIT $2', [after, limit]);
      return rows.map(entryOf);
    },
    lastSeq: async () => {
      const text = `SELECT coalesce(max(seq), 0)::float8 AS seq FROM ${table}`;
      const [row] = await db.query<{ seq: number }>({ name: 'toolgate_log_last', text });
      return row!.seq;
    },
    prune: logPruning(db, batch.append),
    close: async () => {
      await appends.close();
      await batch.close();
    },
  };
}

async function insertBatch(
  db: PostgresConnections,
  entries: readonly LogEntry[],
): Promise<BatchOutcome<number>> {
  try {
    return await insertAll(db, entries);
  } catch (error) {
    if (entries.length === 1 || !isRefusal(error)) throw error;
    const outcome: (number | Error)[] = [];
    for (const entry of entries) {
      outcome.push(...(await insertAll(db, [entry]).catch((refusal: Error) => [refusal])));
    }
    return outcome;
  }
}

async function insertAll(
  db: PostgresConnections,
  entries: readonly LogEntry[],
): Promise<BatchOutcome<number>> {
  const rows = entries.map(rowOf);
  const inserted = await db.query<Pick<RecordedRow, 'seq' | 'kind' | 'call_id'>>({
    name: 'toolgate_log_insert',
    text: insertInto(db.table('toolgate_log')),
    values: COLUMNS.map((column) => rows.map((row) => row[column])),
  });
  inserted.sort((a, b) => a.seq - b.seq);
  // Sequence numbers follow the order of the batch, so an entry that is not the next one inserted is a duplicate.
  let next = 0;
  return rows.map((row, at) => {
    const { seq, kind, call_id } = inserted[next] ?? {};
    if (seq === undefined || kind !== row.kind || call_id !== row.call_id) {
      return new DuplicateEntryError(entries[at]!);
    }
    next++;
    return seq;
  });
}

/**
 * One statement whatever the number of rows: a parameter for each column. The lock makes nodes take turns, so that rows
 * become visible in the order of their seq; otherwise a reader of the log would miss rows that are committed late.
 */
function insertInto(table: string): string {
  const columns = COLUMNS.join(', ');
  return `WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended('toolgate_receipts', 0)))
    INSERT INTO ${table} (${columns})
    SELECT ${COLUMNS.map((column) => `given.${column}`).join(', ')}
    FROM turn, unnest(${COLUMNS.map((_, at) => `$${at + 1}::text[]`).join(', ')})
      WITH ORDINALITY AS given (${columns}, place)
    ORDER BY given.place
    ON CONFLICT (call_id, kind) DO NOTHING
    RETURNING seq::float8 AS seq, kind, call_id`;
}

/**
 * Whether the server refused a value (SQLSTATE classes 22, 23 and 54) and stored none of the batch. After a lost
 * connection the batch may have been stored, and a second attempt would report every entry as a duplicate.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && /^(22|23|54)/.test(error.code ?? '');
}
