import type { Database, Statement } from 'better-sqlite3';
import type { ReceiptQuery, ReceiptStore } from '../../contract/ports/receipts.ts';
import type { Receipt } from '../../contract/receipt.ts';
import { appendBatch, type BatchOutcome } from '../append-batch.ts';
import { fromStoredText, toStoredText } from '../stored-text.ts';

const COLUMNS = [
  'call_id',
  'trace_id',
  'at',
  'principal_id',
  'surface',
  'requested',
  'tool_id',
  'tool_digest',
  'mutation',
  'input_hash',
  'decision',
  'status',
  'error_code',
  'phase',
  'duration_ms',
  'idempotency_key',
] as const;

interface ReceiptRow {
  readonly call_id: string;
  readonly trace_id: string;
  readonly at: string;
  readonly principal_id: string;
  readonly surface: string;
  readonly requested: string;
  readonly tool_id: string | null;
  readonly tool_digest: string | null;
  readonly mutation: Receipt['mutation'];
  readonly input_hash: string | null;
  readonly decision: string | null;
  readonly status: Receipt['status'];
  readonly error_code: Receipt['errorCode'];
  readonly phase: Receipt['phase'];
  readonly duration_ms: number;
  readonly idempotency_key: string | null;
}

export interface SqliteReceipts extends ReceiptStore {
  close(): Promise<void>;
}

export function sqliteReceipts(db: Database): SqliteReceipts {
  const insert = db.prepare<[ReceiptRow]>(
    `INSERT INTO toolgate_receipts (${COLUMNS.join(', ')})
     VALUES (${COLUMNS.map((column) => `@${column}`).join(', ')}) ON CONFLICT (call_id) DO NOTHING`,
  );
  const selectOne = db.prepare<[string], ReceiptRow>(
    `SELECT ${COLUMNS.join(', ')} FROM toolgate_receipts WHERE call_id = ?`,
  );
  const listings = new Map<string, Statement<unknown[], ReceiptRow>>();

  function insertOne(receipt: Receipt): Error | undefined {
    try {
      const { changes } = insert.run(rowOf(receipt));
      return changes === 1 ? undefined : new Error(`The call ${receipt.callId} already has a receipt.`);
    } catch (error) {
      // A full disk ends the whole transaction, and the receipts before this one with it.
      if (!db.inTransaction) throw error;
      return error as Error;
    }
  }
  const insertAll = db.transaction((receipts: readonly Receipt[]): BatchOutcome => receipts.map(insertOne));
  const batch = appendBatch(insertAll.immediate);

  return {
    append: batch.append,
    close: batch.close,
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
  add('status = ?', query.status);
  add('seq < (SELECT seq FROM toolgate_receipts WHERE call_id = ?)', query.before);
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}

function rowOf(receipt: Receipt): ReceiptRow {
  return {
    call_id: toStoredText(receipt.callId),
    trace_id: toStoredText(receipt.traceId),
    at: toStoredText(receipt.at),
    principal_id: toStoredText(receipt.principalId),
    surface: toStoredText(receipt.surface),
    requested: toStoredText(receipt.requested),
    tool_id: receipt.toolId === null ? null : toStoredText(receipt.toolId),
    tool_digest: receipt.toolDigest === null ? null : toStoredText(receipt.toolDigest),
    mutation: receipt.mutation,
    input_hash: receipt.inputHash === null ? null : toStoredText(receipt.inputHash),
    decision: receipt.decision === null ? null : JSON.stringify(receipt.decision),
    status: receipt.status,
    error_code: receipt.errorCode,
    phase: receipt.phase,
    duration_ms: receipt.durationMs,
    idempotency_key: receipt.idempotencyKey === null ? null : toStoredText(receipt.idempotencyKey),
  };
}

function receiptOf(row: ReceiptRow): Receipt {
  return {
    callId: fromStoredText(row.call_id),
    traceId: fromStoredText(row.trace_id),
    at: fromStoredText(row.at),
    principalId: fromStoredText(row.principal_id),
    surface: fromStoredText(row.surface),
    requested: fromStoredText(row.requested),
    toolId: row.tool_id === null ? null : fromStoredText(row.tool_id),
    toolDigest: row.tool_digest === null ? null : fromStoredText(row.tool_digest),
    mutation: row.mutation,
    inputHash: row.input_hash === null ? null : fromStoredText(row.input_hash),
    decision: row.decision === null ? null : (JSON.parse(row.decision) as Receipt['decision']),
    status: row.status,
    errorCode: row.error_code,
    phase: row.phase,
    durationMs: row.duration_ms,
    idempotencyKey: row.idempotency_key === null ? null : fromStoredText(row.idempotency_key),
  };
}
