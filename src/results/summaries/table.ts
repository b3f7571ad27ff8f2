import type { Rows } from '../describe/rows.ts';
import { columnLines } from './columns.ts';
import { cutLine, lengthOf, linesWithin } from './line-budget.ts';
import type { Summary } from './summary.ts';

const FIRST_ROWS = 3;
const MAX_ROW_LENGTH = 300;

/** How many rows, which columns with which values, and the first rows. */
export function summarizeTable(rows: Rows): Summary {
  const rowset = tellRowset(rows);
  return {
    facts: { format: 'table', rows: rows.length, columns: rows.columns.length },
    text: (room) => {
      const title = `table of ${rows.length} rows, ${rows.columns.length} columns`;
      return [title, ...rowset(room - lengthOf([title]))].join('\n');
    },
  };
}

/** The columns, then the first rows, in so much room. The rows are read once. */
export function tellRowset(rows: Rows): (room: number) => string[] {
  const columns = columnLines(rows);
  const first = Array.from(
    { length: Math.min(FIRST_ROWS, rows.length) },
    (_, index) => `row ${index}: ${cutLine(JSON.stringify(rows.row(index)), MAX_ROW_LENGTH)}`,
  );
  return (room) => {
    const told = linesWithin(columns, room - lengthOf(first.slice(0, 1)));
    return [...told, ...linesWithin(first, room - lengthOf(told))];
  };
}
