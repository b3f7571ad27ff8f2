import type { Database, Statement } from 'better-sqlite3';
import type { LogQuery } from '../../contract/ports/receipt-log.ts';
import { COLUMNS, type RecordedRow } from '../shared/log-row.ts';
import { toStoredText } from '../shared/stored-text.ts';

export const SELECT_ENTRY: string = `SELECT log.seq, ${COLUMNS.map((column) => `log.${column}`).join(', ')}`;

interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Listings read the index table: the log itself has no index that a listing could use. */
export function logListing(db: Database): (query: LogQuery) => RecordedRow[] {
  const timeOf = db.prepare<[number], number>('SELECT at FROM toolgate_log_index WHERE seq = ?').pluck();
  const statements = new Map<string, Statement<unknown[], RecordedRow>>();
  return (query) => {
    const cursorTime = query.before === undefined ? undefined : timeOf.get(query.before);
    if (query.before !== undefined && cursorTime === undefined) return [];
    const { sql, values } = listingOf(query, cursorTime);
    const statement = statements.get(sql) ?? db.prepare<unknown[], RecordedRow>(sql);
    statements.set(sql, statement);
    return statement.all(...values);
  };
}

export function listingOf(query: LogQuery, cursorTime?: number): Condition {
  const conditions = conditionsOf(query, cursorTime);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
  return {
    // A cross join keeps the order of the tables: the engine must not read the log first.
    sql: `${SELECT_ENTRY} FROM toolgate_log_index AS i CROSS JOIN toolgate_log AS log ON log.seq = i.seq
      ${where} ORDER BY i.at DESC, i.seq DESC LIMIT ?`,
    values: [...conditions.flatMap(({ values }) => values), query.limit],
  };
}

function conditionsOf(query: LogQuery, cursorTime: number | undefined): Condition[] {
  const { kind, principalId, toolId, toolName, status, since, until, before } = query;
  const conditions: Condition[] = [];
  const add = (sql: string, ...values: (string | number)[]) => conditions.push({ sql, values });
  // The second half is redundant. The engine needs it to choose the partial index.
  if (kind !== undefined) add(kind === 'call' ? 'i.kind = ?' : `i.kind = ? AND i.kind <> 'call'`, kind);
  if (principalId !== undefined) add('i.principal_id = ?', toStoredText(principalId));
  if (toolId !== undefined) add('i.tool_id = ?', toStoredText(toolId));
  if (toolName !== undefined) {
    const name = toStoredText(toolName);
    // An id continues with `#` or `@` after the name. The range lets the engine use the index.
    add(`i.tool_id >= ? AND i.tool_id < ?`, `${name}#`, `${name}A`);
    add(`substr(i.tool_id, length(?) + 1, 1) IN ('#', '@')`, name);
  }
  if (status !== undefined) add('i.status = ?', status);
  if (since !== undefined) add('i.at >= ?', Date.parse(since));
  if (until !== undefined) add('i.at < ?', Date.parse(until));
  if (before !== undefined && cursorTime !== undefined) add('(i.at, i.seq) < (?, ?)', cursorTime, before);
  return conditions;
}
