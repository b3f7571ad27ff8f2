/**
 * Finds table cells by position in CSV, TSV and Markdown text. Redaction needs the offset of each cell to replace it in
 * place; papaparse returns no offsets, so the cells are found here.
 */
import type { TextRange } from '../../base/text/range.ts';

/** A cell and the name that applies to it: of its column, or of its row in a table of names and values. */
export interface NamedCell extends TextRange {
  readonly name: string;
}

const COLUMN_NAME = '[A-Za-z_][\\w ./()-]{0,63}';
/** Headers by separator, in the order in which they are tried: a cell between pipes may contain a comma. */
const HEADERS: Readonly<Record<string, RegExp>> = {
  '|': compileHeader('[ \\t]*[*`]*(?:NAME)?[*`]*[ \\t]*', '\\|'),
  '\t': compileHeader('"?NAME"?', '\\t'),
  ',': compileHeader('"?NAME"?', ','),
  ';': compileHeader('"?NAME"?', ';'),
};

/** Comma-separated cells start without a space, because a comma and a space are punctuation of a sentence. */
function compileHeader(cell: string, separator: string): RegExp {
  const named = cell.replace('NAME', COLUMN_NAME);
  return new RegExp(`${named}(?:${separator}${named}){1,255}(?=\\r?\\n)`, 'y');
}

const DIVIDER = /^[|+:=\s-]+$/;

type IsWanted = (name: string) => boolean;

/** Finds the cells of all tables in a text whose name is wanted. */
export function* findCells(text: string, isWanted: IsWanted): Generator<NamedCell> {
  if (!text.includes('\n')) return;
  let read = 0;
  for (const start of findTableStarts(text)) {
    const table = start < read ? undefined : readHeader(text, start, isWanted);
    if (!table) continue;
    read = table.rows;
    for (let row = readRow(text, read, table.separator); row; row = readRow(text, read, table.separator)) {
      for (const column of table.columns) {
        const cell = nameCell(text, row.cells, column);
        if (cell && isWanted(cell.name)) yield cell;
      }
      read = row.next;
    }
  }
}

/** A table starts at the start of the text, after a line that can precede a table, or above a divider line. */
function* findTableStarts(text: string): Generator<number> {
  let previous = -1;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    if (newline === -1) return;
    const isDivided = /[|+:-]/.test(text[newline + 1] ?? '');
    if (previous === -1 || canPrecedeTable(text, previous, start - 1) || isDivided) yield start;
    previous = start;
    start = newline + 1;
  }
}

/** Whether a line is empty, ends with a colon or opens a code fence. */
function canPrecedeTable(text: string, start: number, end: number): boolean {
  let last = end - 1;
  while (last >= start && /\s/.test(text[last]!)) last--;
  return last < start || text[last] === ':' || text.startsWith('```', start);
}

interface Column {
  readonly index: number;
  /** The name of the column, or the index of the column that names each row. */
  readonly name: string | number;
}

interface Table {
  readonly separator: string;
  readonly columns: readonly Column[];
  /** Start of the first row. */
  readonly rows: number;
}

function readHeader(text: string, start: number, isWanted: IsWanted): Table | undefined {
  const separator = Object.keys(HEADERS).find((candidate) => {
    HEADERS[candidate]!.lastIndex = start;
    return HEADERS[candidate]!.test(text);
  });
  if (separator === undefined) return undefined;
  const { cells, next } = readRecord(text, start, separator);
  const names = cells.map((cell) => text.slice(cell.start, cell.end).replace(/^[*`]+|[*`]+$/g, ''));
  const columns = selectColumns(names, isWanted);
  return columns.length > 0 ? { separator, columns, rows: next } : undefined;
}

function selectColumns(names: readonly string[], isWanted: IsWanted): Column[] {
  const nameColumn = names.findIndex((name) =>
    /^(?:name|key|variable|field|setting|property|parameter|option|header|attribute|item|label)$/i.test(name),
  );
  return names.flatMap((name, index): Column[] => {
    if (isWanted(name)) return [{ index, name }];
    return nameColumn >= 0 && /^(?:value|val|content)$/i.test(name) ? [{ index, name: nameColumn }] : [];
  });
}

function nameCell(text: string, cells: readonly TextRange[], { index, name }: Column): NamedCell | undefined {
  const cell = cells[index];
  if (!cell || cell.end <= cell.start) return undefined;
  const namedBy = typeof name === 'number' ? cells[name] : undefined;
  const cellName = namedBy ? text.slice(namedBy.start, namedBy.end).replace(/^`|`$/g, '') : String(name);
  return { ...cell, name: cellName };
}

interface Row {
  readonly cells: readonly TextRange[];
  readonly next: number;
}

/** Reads the row at an index, a divider line as a row without cells. Undefined after the end of the table. */
function readRow(text: string, at: number, separator: string): Row | undefined {
  const newline = text.indexOf('\n', at);
  const line = text.slice(at, newline === -1 ? text.length : newline);
  const hasSeparator = line.includes(separator);
  if (newline !== -1 && DIVIDER.test(line))
    return hasSeparator || line.trim() !== '' ? { cells: [], next: newline + 1 } : undefined;
  if (hasSeparator) return readRecord(text, at, separator);
  // A line without a separator continues the table only where a quoted first cell contains the line break.
  const row = findQuotedEnd(text, at, separator) === undefined ? undefined : readRecord(text, at, separator);
  return row && row.cells.length > 1 ? row : undefined;
}

/**
 * RFC 4180: a quoted cell may contain separators, line breaks and doubled quotes. A quote opens such a cell only as its
 * first character: the quote in `5" pipe` is part of a plain cell.
 */
const QUOTED = /"((?:[^"]|""){0,8192})"/y;

function readRecord(text: string, start: number, separator: string): Row {
  const cells: TextRange[] = [];
  for (let at = start; ; at++) {
    const end = findQuotedEnd(text, at, separator);
    cells.push(end === undefined ? readBareCell(text, at, separator) : { start: at + 1, end: end - 1 });
    at = findCellEnd(text, end ?? at, separator);
    if (text[at] !== separator) return { cells, next: at + 1 };
  }
}

/** The index after the closing quote; undefined where no quoted cell starts, or where other text follows the quote. */
function findQuotedEnd(text: string, at: number, separator: string): number | undefined {
  QUOTED.lastIndex = at;
  if (separator === '|' || !QUOTED.test(text)) return undefined;
  const end = QUOTED.lastIndex;
  const cellEnd = findCellEnd(text, end, separator);
  return text.slice(end, cellEnd).trim() === '' ? end : undefined;
}

/** A quote after spaces does not open a quoted cell, but the quotes are still not part of the value. */
const QUOTED_AFTER_SPACE = /^[ \t]+"([^"]*)"$/;

/** Leading spaces of a comma-separated cell belong to it, because a comma and a space are punctuation of a sentence. */
function readBareCell(text: string, at: number, separator: string): TextRange {
  const cell = text.slice(at, findCellEnd(text, at, separator)).trimEnd();
  const end = at + cell.length;
  if (separator === '|') return { start: end - cell.trimStart().length, end };
  const inner = QUOTED_AFTER_SPACE.exec(cell)?.[1];
  return inner === undefined ? { start: at, end } : { start: end - 1 - inner.length, end: end - 1 };
}

/** A pipe after a backslash belongs to its cell. */
function findCellEnd(text: string, at: number, separator: string): number {
  let end = at;
  while (end < text.length && text[end] !== '\n') {
    if (text[end] === separator && (separator !== '|' || text[end - 1] !== '\\')) break;
    end++;
  }
  return end;
}
