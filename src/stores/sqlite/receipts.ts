import type { Database, Statement } from 'better-sqlite3';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { ReceiptQuery, ReceiptStore } from '../../contract/ports/receipt-store.ts';
import { COLUMNS, type ReceiptRow, receiptOf, rowOf } from '../shared/receipt-row.ts';
import { toStoredText } from '../shared/stored-text.ts';
import type { WriteQueue } from './write-queue.ts';

// The second half says nothing new, and is what lets the engine find these by their index.
export const NOT_OK = `status = ? AND status <> 'ok'`;

export function sqliteReceipts(db: Database, queue: WriteQueue): ReceiptStore {
  const insert = db.prepare<[ReceiptRow[keyof ReceiptRow][]]>(
    `INSERT INTO toolgate_receipts (${COLUMNS.join(', ')})
     VALUES (${COLUMNS.map(() => '?').join(', ')}) ON CONFLICT (call_id) DO NOTHING`,
  );
  const selectOne = db.prepare<[string], ReceiptRow>(
    `SELECT ${COLUMNS.join(', ')} FROM toolgate_receipts WHERE call_id = ?`,
  );
  const listings = new Map<string, Statement<unknown[], ReceiptRow>>();

  function insertOne(receipt: Receipt): void {
    const row = rowOf(receipt);
    const { changes } = insert.run(COLUMNS.map((column) => row[column]));
    if (changes !== 1) throw new Error(`The call ${receipt.callId} already has a receipt.`);
  }

  return {
    append: (receipt) => queue.writeNext(() => insertOne(receipt)),
    get: async (callId) => {
      const row = selectOne.get(toStoredText(callId));
      return row && receiptOf(row);
    },
    list: async (query) => {
      const { where, values } = conditionsOf(query);
      const listing =
        listings.get(where) ??
        db.prepare<unknown[], ReceiptRow>(
          `SELECT ${COLUMNS.join(', ')} FROM toolgate_receipts ${where} ORDER BY seq DESC LIMIT ?`,
        );
      listings.set(where, listing);
      return listing.all(...values, query.limit).map(receiptOf);
    },
  };
}

function conditionsOf(query: ReceiptQuery): { where: string; values: string[] } {
  const conditions: string[] = [];
  const values: string[] = [];
  const add = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(toStoredText(value));
  };
  add('principal_id = ?', query.principalId);
  add('tool_id = ?', query.toolId);
  add(query.status === 'ok' ? 'status = ?' : NOT_OK, query.status);
  add('seq < (SELECT seq FROM toolgate_receipts WHERE call_id = ?)', query.before);
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}
