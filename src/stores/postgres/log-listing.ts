import type { QueryConfig } from 'pg';
import type { LogQuery } from '../../contract/ports/receipt-log.ts';
import { COLUMNS } from '../shared/log-row.ts';
import { toStoredText } from '../shared/stored-text.ts';

/** A sequence number as a number: the driver returns a bigint as text. */
export const SELECTED_COLUMNS: string = ['seq::float8 AS seq', ...COLUMNS].join(', ');

export function listingOf(query: LogQuery, table: string): QueryConfig {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  let name = 'toolgate_log_list';
  const add = (key: keyof LogQuery, condition: string, value: string | number | undefined) => {
    if (value === undefined) return;
    values.push(typeof value === 'string' ? toStoredText(value) : value);
    conditions.push(condition.replaceAll('?', `$${values.length}`));
    name += `_${key}`;
  };
  add('kind', 'kind = ?', query.kind);
  add('principalId', 'principal_id = ?', query.principalId);
  add('toolId', 'tool_id = ?', query.toolId);
  // An id continues with `#` or `@` after the name. The range lets the engine use the index.
  add(
    'toolName',
    `tool_id >= ?::text || '#' AND tool_id < ?::text || 'A' AND substr(tool_id, length(?::text) + 1, 1) IN ('#', '@')`,
    query.toolName,
  );
  add('status', 'status = ?', query.status);
  add('since', 'at >= ?', query.since);
  add('until', 'at < ?', query.until);
  add('before', `(at, seq) < ((SELECT at FROM ${table} WHERE seq = ?), ?)`, query.before);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return {
    name,
    text: `SELECT ${SELECTED_COLUMNS} FROM ${table} AS log ${where}
      ORDER BY at DESC, log.seq DESC LIMIT $${values.length + 1}`,
    values: [...values, query.limit],
  };
}
