import type { Rows } from '../describe/rows.ts';
import { ValueStats } from '../describe/value-stats.ts';
import { cutLine } from './line-budget.ts';

const MAX_CELLS = 200_000;
const MAX_COLUMNS = 40;
const MAX_NAME_LENGTH = 40;
const MAX_LINE_LENGTH = 160;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** Describes each column in one line: its name and its values. Only the first rows of a very large table are read. */
export function columnLines(rows: Rows): string[] {
  const columns = rows.columns.slice(0, MAX_COLUMNS);
  const stats = columns.map(() => new ValueStats());
  const read = Math.min(rows.length, Math.ceil(MAX_CELLS / columns.length));
  for (let index = 0; index < read; index++) {
    const row = rows.row(index);
    stats.forEach((column, position) => {
      column.add(cellOf(row[position]));
    });
  }
  const lines = columns.map((name, position) =>
    cutLine(`${cutLine(name, MAX_NAME_LENGTH)}: ${stats[position]!.describe()}`, MAX_LINE_LENGTH),
  );
  const others = rows.columns.length - columns.length;
  return [
    ...(read < rows.length ? [`in the first ${read} rows:`] : []),
    ...lines,
    ...(others > 0 ? [`… and ${others} more columns`] : []),
  ];
}

/** Reads a cell that looks like a number as a number. A list or an object counts by its kind. */
function cellOf(cell: unknown): string | number | boolean | null {
  if (cell === undefined || cell === null || cell === '') return null;
  if (typeof cell === 'number' || typeof cell === 'boolean') return cell;
  if (typeof cell !== 'string') return Array.isArray(cell) ? `list of ${cell.length}` : 'object';
  return NUMBER.test(cell) ? Number(cell) : cell;
}
