import type { Rows } from '../describe/rows.ts';
import { columnLines } from './columns.ts';
import { cutLine, lengthOf, takeLines } from './line-budget.ts';
import type { Summary } from './summary.ts';

const FIRST_ROWS = 3;
const MAX_ROW_LENGTH = 300;

/** Shows the number of rows, the columns with their values, and the first rows. */
export function summarizeTable(rows: Rows): Summary {
  const rowset = describeRowset(rows);
  return {
    facts: { format: 'table', rows: rows.length, columns: rows.columns.length },
    text: (maxLength) => {
      const title = `table of ${rows.length} rows, ${rows.columns.length} columns`;
      return [title, ...rowset(maxLength - lengthOf([title]))].join('\n');
    },
  };
}

/** Describes the columns, then the first rows. The rows are read once, for any number of lengths. */
export function describeRowset(rows: Rows): (maxLength: number) => string[] {
  const columns = columnLines(rows);
  const first = Array.from(
    { length: Math.min(FIRST_ROWS, rows.length) },
    (_, index) => `row ${index}: ${cutLine(JSON.stringify(rows.row(index)), MAX_ROW_LENGTH)}`,
  );
  return (maxLength) => {
    const described = takeLines(columns, maxLength - lengthOf(first.slice(0, 1)));
    return [...described, ...takeLines(first, maxLength - lengthOf(described))];
  };
}
