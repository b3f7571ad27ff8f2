import type { Rows } from '../rows.ts';
import type { Summary } from './summary.ts';

const FIRST_ROWS = 3;
const MAX_COLUMNS_TOLD = 40;
const MAX_NAME_LENGTH = 40;

/** Header and first rows. */
export function summarizeTable(rows: Rows): Summary {
  const first = Array.from({ length: Math.min(FIRST_ROWS, rows.length) }, (_, index) => rows.row(index));
  const lines = [rows.columns, ...first].map((cells) => JSON.stringify(cells));
  return {
    text: [`table of ${rows.length} rows, ${rows.columns.length} columns`, ...lines].join('\n'),
    facts: { format: 'table', rows: rows.length, columns: namesOf(rows) },
  };
}

/** The names of columns, as many and as long as facts may hold. */
export function namesOf({ columns }: Rows): string[] {
  return columns.slice(0, MAX_COLUMNS_TOLD).map((name) => name.slice(0, MAX_NAME_LENGTH));
}
