import type { Rows } from '../describe/rows.ts';
import { ValueStats } from '../describe/value-stats.ts';
import { cutLine } from './line-budget.ts';

const MAX_CELLS = 200_000;
const MAX_COLUMNS_TOLD = 40;
const MAX_NAME_LENGTH = 40;
const MAX_LINE_LENGTH = 160;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** A line for each column: its name, and which values it has. Of a very large table, the first rows are read. */
export function columnLines(rows: Rows): string[] {
  const columns = rows.columns.slice(0, MAX_COLUMNS_TOLD);
  const values = columns.map(() => new ValueStats());
  const read = Math.min(rows.length, Math.ceil(MAX_CELLS / columns.length));
  for (let index = 0; index < read; index++) {
    const row = rows.row(index);
    values.forEach((column, place) => {
      column.add(cellOf(row[place]));
    });
  }
  const lines = columns.map((name, place) =>
    cutLine(`${cutLine(name, MAX_NAME_LENGTH)}: ${values[place]!.describe()}`, MAX_LINE_LENGTH),
  );
  const others = rows.columns.length - columns.length;
  return [
    ...(read < rows.length ? [`in the first ${read} rows:`] : []),
    ...lines,
    ...(others > 0 ? [`… and ${others} more columns`] : []),
  ];
}

/** In a table of texts a number is one that reads as one; what holds more than one value counts as its JSON. */
function cellOf(cell: unknown): string | number | boolean | null {
  if (cell === undefined || cell === null || cell === '') return null;
  if (typeof cell === 'number' || typeof cell === 'boolean') return cell;
  if (typeof cell !== 'string') return Array.isArray(cell) ? `list of ${cell.length}` : 'object';
  return NUMBER.test(cell) ? Number(cell) : cell;
}
