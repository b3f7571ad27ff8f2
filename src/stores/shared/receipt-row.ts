import type { Receipt } from '../../contract/call/receipt.ts';
import { fromStoredText, toStoredText } from './stored-text.ts';

/** A receipt as both engines keep it: their tables have the same columns, so that one can be read with the other's eyes. */
export const COLUMNS: readonly (keyof ReceiptRow)[] = [
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
  'source',
  'attempts',
];

export interface ReceiptRow {
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
  readonly source: Receipt['source'];
  readonly attempts: number;
}

export function rowOf(receipt: Receipt): ReceiptRow {
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
    source: receipt.source,
    attempts: receipt.attempts,
  };
}

export function receiptOf(row: ReceiptRow): Receipt {
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
    source: row.source,
    attempts: row.attempts,
  };
}
