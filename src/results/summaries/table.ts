import type { Rows } from '../rows.ts';
import { columnLines, columnNames } from './columns.ts';
import { cutLine, lengthOf, linesWithin } from './room.ts';
import type { Summary } from './summary.ts';

const FIRST_ROWS = 3;
const MAX_ROW_LENGTH = 300;

/** How many rows, which columns with which values, and the first rows. */
export function summarizeTable(rows: Rows): Summary {
  return {
    facts: { format: 'table', rows: rows.length, columns: columnNames(rows) },
    text: (room) => {
      const title = `table of ${rows.length} rows, ${rows.columns.length} columns`;
      return [title, ...rowsetLines(rows, room - lengthOf([title]))].join('\n');
    },
  };
}

/** The columns, then the first rows. */
export function rowsetLines(rows: Rows, room: number): string[] {
  const first = Array.from(
    { length: Math.min(FIRST_ROWS, rows.length) },
    (_, index) => `row ${index}: ${cutLine(JSON.stringify(rows.row(index)), MAX_ROW_LENGTH)}`,
  );
  const columns = linesWithin(columnLines(rows), room - lengthOf(first.slice(0, 1)));
  return [...columns, ...linesWithin(first, room - lengthOf(columns))];
}
