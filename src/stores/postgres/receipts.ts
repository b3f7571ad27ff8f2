import { DatabaseError } from 'pg';
import type { ReceiptQuery, ReceiptStore } from '../../contract/ports/receipts.ts';
import type { Receipt } from '../../contract/receipt.ts';
import { appendBatch, type BatchOutcome } from '../append-batch.ts';
import { fromStoredText, toStoredText } from '../stored-text.ts';
import type { PostgresConnections } from './open.ts';

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

/**
 * One statement whatever the number of rows: a parameter for each column. The lock makes nodes take turns, so that rows
 * become visible in the order of their seq; a reader that pages while others write would otherwise miss the late ones.
 */
function insertInto(table: string): string {
  const arrays = COLUMNS.map((column, at) =>
    column === 'duration_ms' ? `$${at + 1}::double precision[]` : `$${at + 1}::text[]`,
  );
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
