import type { Extent } from './documents.ts';

/** A cell of a table, under the name of its column, or of its row where the table is one of names and values. */
export interface NamedCell extends Extent {
  readonly name: string;
}

const HEADING = '[A-Za-z_][\\w ./()-]{0,63}';
/** By what parts the cells, in the order in which they are tried: a cell between pipes may hold a comma. */
const HEADERS: Readonly<Record<string, RegExp>> = {
  '|': header('[ \\t]*[*`]*(?:NAME)?[*`]*[ \\t]*', '\\|'),
  '\t': header('"?NAME"?', '\\t'),
  ',': header('"?NAME"?', ','),
  ';': header('"?NAME"?', ';'),
};

/** Cells of commas begin with no space: a comma with a space behind it is one of a sentence. */
function header(cell: string, separator: string): RegExp {
  const named = cell.replace('NAME', HEADING);
  return new RegExp(`${named}(?:${separator}${named}){1,255}(?=\\r?\\n)`, 'y');
}

const DIVIDING = /^[|+:=\s-]+$/;

type IsAskedFor = (name: string) => boolean;

/** The cells of tables in a text that stand under names which are asked for. */
export function* findCellsUnder(text: string, isAskedFor: IsAskedFor): Generator<NamedCell> {
  if (!text.includes('\n')) return;
  let read = 0;
  for (const start of beginningsIn(text)) {
    const table = start < read ? undefined : tableAt(text, start, isAskedFor);
    if (!table) continue;
    read = table.rows;
    for (let row = rowAt(text, read, table.separator); row; row = rowAt(text, read, table.separator)) {
      for (const column of table.columns) yield* cellIn(text, row.cells, column, isAskedFor);
      read = row.next;
    }
  }
}

/** A table begins with the text, behind an empty line, behind one that announces it, or above one that only divides. */
function* beginningsIn(text: string): Generator<number> {
  let before = -1;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    if (newline === -1) return;
    if (before === -1 || announces(text, before, start - 1) || /[|+:-]/.test(text[newline + 1] ?? ''))
      yield start;
    before = start;
    start = newline + 1;
  }
}

/** Whether what follows a line may be a table: the line is empty, ends with a colon or opens a fence. */
function announces(text: string, start: number, end: number): boolean {
  let last = end - 1;
  while (last >= start && /\s/.test(text[last]!)) last--;
  return last < start || text[last] === ':' || text.startsWith('```', start);
}

interface Column {
  readonly index: number;
  /** What it says that its cells are, or the column that says it of each row. */
  readonly name: string | number;
}

interface Table {
  readonly separator: string;
  readonly columns: readonly Column[];
  readonly rows: number;
}

function tableAt(text: string, start: number, isAskedFor: IsAskedFor): Table | undefined {
  const separator = Object.keys(HEADERS).find((candidate) => {
    HEADERS[candidate]!.lastIndex = start;
    return HEADERS[candidate]!.test(text);
  });
  if (separator === undefined) return undefined;
  const { cells, next } = recordAt(text, start, separator);
  const names = cells.map((cell) => text.slice(cell.start, cell.end).replace(/^[*`]+|[*`]+$/g, ''));
  const columns = columnsOf(names, isAskedFor);
  return columns.length > 0 ? { separator, columns, rows: next } : undefined;
}

function columnsOf(names: readonly string[], isAskedFor: IsAskedFor): Column[] {
  const naming = names.findIndex((name) => /^(?:name|key|variable)$/i.test(name));
  return names.flatMap((name, index): Column[] => {
    if (isAskedFor(name)) return [{ index, name }];
    return naming >= 0 && /^value$/i.test(name) ? [{ index, name: naming }] : [];
  });
}

function* cellIn(
  text: string,
  cells: readonly Extent[],
  { index, name }: Column,
  isAskedFor: IsAskedFor,
): Generator<NamedCell> {
  const cell = cells[index];
  const naming = typeof name === 'number' ? cells[name] : undefined;
  const said = naming ? text.slice(naming.start, naming.end).replace(/^`|`$/g, '') : String(name);
  if (cell && cell.end > cell.start && isAskedFor(said)) yield { ...cell, name: said };
}

interface Row {
  readonly cells: readonly Extent[];
  readonly next: number;
}

/** The row at a place, lines that only divide left out; undefined where the table has ended. */
function rowAt(text: string, at: number, separator: string): Row | undefined {
  const newline = text.indexOf('\n', at);
  const line = text.slice(at, newline === -1 ? text.length : newline);
  if (newline !== -1 && DIVIDING.test(line))
    return line.trim() === '' ? undefined : { cells: [], next: newline + 1 };
  return line.includes(separator) ? recordAt(text, at, separator) : undefined;
}

// RFC 4180: a quoted cell may hold separators and breaks, and its own quotes twice.
const QUOTED = /[ \t]*"((?:[^"]|""){0,8192})"[ \t\r]*/y;

function recordAt(text: string, start: number, separator: string): Row {
  const cells: Extent[] = [];
  for (let at = start; ; at++) {
    const quoted = separator === '|' ? undefined : quotedCellAt(text, at, separator);
    cells.push(quoted?.cell ?? bareCellAt(text, at, separator));
    at = quoted?.end ?? endOfBare(text, at, separator);
    if (text[at] !== separator) return { cells, next: at + 1 };
  }
}

function quotedCellAt(
  text: string,
  at: number,
  separator: string,
): { cell: Extent; end: number } | undefined {
  QUOTED.lastIndex = at;
  const inside = QUOTED.exec(text)?.[1];
  const end = QUOTED.lastIndex;
  if (inside === undefined || ![separator, '\n', undefined].includes(text[end])) return undefined;
  const start = text.indexOf('"', at) + 1;
  return { cell: { start, end: start + inside.length }, end };
}

/** Before the cells of commas nothing is cut: a comma with a space behind it is one of a sentence. */
function bareCellAt(text: string, at: number, separator: string): Extent {
  const cell = text.slice(at, endOfBare(text, at, separator)).trimEnd();
  const start = separator === '|' ? at + cell.length - cell.trimStart().length : at;
  return { start, end: at + cell.length };
}

/** A pipe behind a backslash belongs to its cell. */
function endOfBare(text: string, at: number, separator: string): number {
  let end = at;
  while (end < text.length && text[end] !== '\n') {
    if (text[end] === separator && (separator !== '|' || text[end - 1] !== '\\')) break;
    end++;
  }
  return end;
}
