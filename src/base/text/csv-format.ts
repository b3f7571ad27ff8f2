import { parseCsv, parseCsvStart } from './csv.ts';

const SAMPLE_LENGTH = 16_384;
const SAMPLE_ROWS = 6;
const MIN_ROWS = 3;
const MAX_NAME_LENGTH = 64;
/** A column name: no sentence, call, member or assignment. A unit may follow it, as in `price (EUR)`. */
const NAME = /^[\p{L}\p{N}_#%$@][^:;=(){}[\]<>"]*(?:\([^()]*\))?$/u;
/** Spreadsheets write semicolons where the comma is the decimal sign. */
const CSV_SEPARATORS = [';', ','];

/** Whether a text looks like a table: several rows of one width, more than one cell in each. */
export function isTable(text: string, separator: string): boolean {
  const [first = [], ...others] = sampleRows(text, separator);
  const isRegular = others.every((cells) => cells.length === first.length);
  return first.length >= 2 && others.length + 1 >= MIN_ROWS && isRegular;
}

/** Whether the first row names the columns. Without this check, prose with one comma in each line would be a table. */
export function hasHeader(text: string, separator: string): boolean {
  const [cells = []] = sampleRows(text, separator);
  const [first, ...others] = cells;
  // A column of row numbers often has no name.
  const isFirstName = first !== undefined && (isName(first) || (first === '' && others.length > 1));
  return isFirstName && /^\D|^$/.test(first) && others.every(isName) && new Set(cells).size === cells.length;
}

/** The separator of a CSV text, by its first rows. */
export function detectSeparator(text: string): string {
  const regular = CSV_SEPARATORS.filter((separator) => isTable(text, separator));
  return regular.find((separator) => hasHeader(text, separator)) ?? regular[0] ?? ',';
}

function isName(cell: string): boolean {
  return cell.length <= MAX_NAME_LENGTH && cell === cell.trimEnd() && NAME.test(cell);
}

function sampleRows(text: string, separator: string): string[][] {
  const rows =
    text.length > SAMPLE_LENGTH
      ? parseCsvStart(text.slice(0, SAMPLE_LENGTH), separator)
      : parseCsv(text, separator);
  return rows.slice(0, SAMPLE_ROWS);
}
