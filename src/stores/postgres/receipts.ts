import { DatabaseError } from 'pg';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { ReceiptQuery, ReceiptStore } from '../../contract/ports/receipt-store.ts';
import { COLUMNS, type ReceiptRow, receiptOf, rowOf } from '../shared/receipt-row.ts';
import { toStoredText } from '../shared/stored-text.ts';
import { appendBatch, type BatchOutcome } from './append-batch.ts';
import type { PostgresConnections } from './connections.ts';

export interface PostgresReceipts extends ReceiptStore {
  close(): Promise<void>;
}

export function postgresReceipts(db: PostgresConnections): PostgresReceipts {
  const table = db.table('toolgate_receipts');
  const select = `SELECT ${COLUMNS.join(', ')} FROM ${table}`;
  const insert = insertInto(table);

  async function insertAll(receipts: readonly Receipt[]): Promise<BatchOutcome> {
    const rows = receipts.map(rowOf);
    const kept = await db.query<{ call_id: string }>({
      name: 'toolgate_receipts_insert',
      text: insert,
      values: COLUMNS.map((column) => rows.map((row) => row[column])),
    });
    const fresh = new Set(kept.map(({ call_id }) => call_id));
    return rows.map((row, at) =>
      // Of two receipts of one call in one batch the first was kept, so its id counts once.
      fresh.delete(row.call_id)
        ? undefined
        : new Error(`The call ${receipts[at]!.callId} already has a receipt.`),
    );
  }

  async function write(receipts: readonly Receipt[]): Promise<BatchOutcome> {
    try {
      return await insertAll(receipts);
    } catch (error) {
      if (receipts.length === 1 || !refusesRow(error)) throw error;
      const outcome: (Error | undefined)[] = [];
      for (const receipt of receipts) {
        outcome.push(...(await insertAll([receipt]).catch((refusal: Error) => [refusal])));
      }
      return outcome;
    }
  }
  const batch = appendBatch(write);

  return {
    append: batch.append,
    close: batch.close,
    get: async (callId) => {
      const [row] = await db.query<ReceiptRow>({
        name: 'toolgate_receipts_get',
        text: `${select} WHERE call_id = $1`,
        values: [toStoredText(callId)],
      });
      return row && receiptOf(row);
    },
    list: async (query) => {
      const { name, where, values } = conditionsOf(query, table);
      const rows = await db.query<ReceiptRow>({
        name,
        text: `${select} ${where} ORDER BY seq DESC LIMIT $${values.length + 1}`,
        values: [...values, query.limit],
      });
      return rows.map(receiptOf);
    },
  };
}

const NUMBERS: Partial<Record<keyof ReceiptRow, string>> = {
  duration_ms: 'double precision',
  attempts: 'integer',
};

/**
 * One statement whatever the number of rows: a parameter for each column. The lock makes nodes take turns, so that rows
 * become visible in the order of their seq; a reader that pages while others write would otherwise miss the late ones.
 */
function insertInto(table: string): string {
  const arrays = COLUMNS.map((column, at) => `$${at + 1}::${NUMBERS[column] ?? 'text'}[]`);
  return `WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended('toolgate_receipts', 0)))
    INSERT INTO ${table} (${COLUMNS.join(', ')})
    SELECT ${COLUMNS.map((column) => `given.${column}`).join(', ')}
    FROM turn, unnest(${arrays.join(', ')}) WITH ORDINALITY AS given (${COLUMNS.join(', ')}, place)
    ORDER BY given.place
    ON CONFLICT (call_id) DO NOTHING
    RETURNING call_id`;
}

/**
 * Whether the server refused a value (SQLSTATE classes 22, 23 and 54) and kept none of the batch. After a lost connection
 * nobody knows whether it was kept, and a second try would call every receipt a duplicate.
 */
function refusesRow(error: unknown): boolean {
  return error instanceof DatabaseError && /^(22|23|54)/.test(error.code ?? '');
}

function conditionsOf(query: ReceiptQuery, table: string): { name: string; where: string; values: string[] } {
  const conditions: string[] = [];
  const values: string[] = [];
  let name = 'toolgate_receipts_list';
  const add = (key: keyof ReceiptQuery & string, condition: string, value: string | undefined) => {
    if (value === undefined) return;
    values.push(toStoredText(value));
    conditions.push(condition.replace('?', `$${values.length}`));
    name += `_${key}`;
  };
  add('principalId', 'principal_id = ?', query.principalId);
  add('toolId', 'tool_id = ?', query.toolId);
  add('status', 'status = ?', query.status);
  add('before', `seq < (SELECT seq FROM ${table} WHERE call_id = ?)`, query.before);
  return { name, where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}
