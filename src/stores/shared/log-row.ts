import type { Receipt } from '../../contract/call/receipt.ts';
import type { LogEntry, RecordedEntry } from '../../contract/ports/receipt-log.ts';
import { packMembers, RECEIPT_MEMBERS, unpackMembers } from './packed-receipt.ts';
import { fromStoredText, toStoredText } from './stored-text.ts';

/** An entry as both engines store it: a column for each member that a listing filters by, the others in `body`. */
export interface LogRow {
  readonly kind: LogEntry['kind'];
  readonly call_id: string | null;
  readonly at: string;
  readonly principal_id: string;
  readonly tool_id: string | null;
  readonly status: Receipt['status'] | null;
  readonly body: string;
}

export interface RecordedRow extends LogRow {
  readonly seq: number;
}

export const COLUMNS: readonly (keyof LogRow)[] = [
  'kind',
  'call_id',
  'at',
  'principal_id',
  'tool_id',
  'status',
  'body',
];

const IN_COLUMNS: ReadonlySet<keyof Receipt> = new Set(['callId', 'at', 'principalId', 'toolId', 'status']);
const IN_BODY: readonly (keyof Receipt)[] = RECEIPT_MEMBERS.filter((member) => !IN_COLUMNS.has(member));

export function rowOf(entry: LogEntry): LogRow {
  if (entry.kind === 'call') {
    const { receipt } = entry;
    return {
      kind: 'call',
      call_id: toStoredText(receipt.callId),
      at: toStoredText(receipt.at),
      principal_id: toStoredText(receipt.principalId),
      tool_id: receipt.toolId === null ? null : toStoredText(receipt.toolId),
      status: receipt.status,
      body: packMembers(receipt, IN_BODY),
    };
  }
  const { kind, at, principalId, ...body } = entry;
  return {
    kind,
    call_id: 'callId' in entry ? toStoredText(entry.callId) : null,
    at: toStoredText(at),
    principal_id: toStoredText(principalId),
    tool_id: 'toolId' in entry ? toStoredText(entry.toolId) : null,
    status: null,
    body: JSON.stringify(body),
  };
}

export function entryOf(row: RecordedRow): RecordedEntry {
  const { seq, kind } = row;
  if (kind === 'call') return { seq, kind, receipt: receiptOf(row) };
  const at = fromStoredText(row.at);
  const principalId = fromStoredText(row.principal_id);
  return { seq, kind, at, principalId, ...(JSON.parse(row.body) as object) } as RecordedEntry;
}

export function receiptOf(row: LogRow): Receipt {
  return {
    callId: fromStoredText(row.call_id!),
    at: fromStoredText(row.at),
    principalId: fromStoredText(row.principal_id),
    toolId: row.tool_id === null ? null : fromStoredText(row.tool_id),
    status: row.status!,
    ...unpackMembers(row.body, IN_BODY),
  } as Receipt;
}
