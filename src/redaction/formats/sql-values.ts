import type { TextRange } from '../../base/text/range.ts';
import type { NamedCell } from './columns.ts';

const COLUMNS = String.raw`[\w."'\x60[\]$]{1,200}\s{0,16}\(([^()]{1,2000})$`;
const INSERT = new RegExp(String.raw`\binto\s+${COLUMNS}`, 'i');
const COPY = new RegExp(String.raw`\bcopy\s+${COLUMNS}`, 'i');
const AFTER_INSERT = /\)\s{0,16}values?\s{0,16}/iy;
const AFTER_COPY = /\)\s{0,16}from\s+stdin[^\n]{0,200};\r?\n/iy;
const MAX_HEAD_LENGTH = 2_300;
/** Rows that are read without a wanted value in them. */
const MAX_IDLE_LENGTH = 65_536;

/**
 * Finds the values of wanted columns in the rows of the statement whose list of columns ends at an index: of `INSERT`,
 * or of `COPY` in a dump of PostgreSQL.
 */
export function* findInsertedCells(
  text: string,
  at: number,
  isWanted: (name: string) => boolean,
): Generator<NamedCell> {
  const head = text.slice(Math.max(0, at - MAX_HEAD_LENGTH), at);
  for (const [statement, after, readRow] of [
    [INSERT, AFTER_INSERT, readTuple],
    [COPY, AFTER_COPY, readCopiedRow],
  ] as const) {
    after.lastIndex = at;
    if (!after.test(text)) continue;
    const names = statement.exec(head)?.[1]?.split(',').map(readColumn) ?? [];
    if (names.some(isWanted)) yield* findRows(text, after.lastIndex, { names, isWanted, readRow });
  }
}

function readColumn(name: string): string {
  return name.trim().replace(/^["'`[]|["'`\]]$/g, '');
}

interface Row {
  /** Undefined for a value without a text of its own, such as `NULL`. */
  readonly cells: readonly (TextRange | undefined)[];
  readonly next: number;
}

interface RowReader {
  readonly names: readonly string[];
  readonly isWanted: (name: string) => boolean;
  /** Reads the row at an index; undefined after the last one. */
  readonly readRow: (text: string, at: number) => Row | undefined;
}

function* findRows(
  text: string,
  start: number,
  { names, isWanted, readRow }: RowReader,
): Generator<NamedCell> {
  let lastFound = start;
  for (let row = readRow(text, start); row; row = readRow(text, row.next)) {
    for (const [i, cell] of row.cells.entries()) {
      if (!cell || cell.end <= cell.start || !isWanted(names[i] ?? '')) continue;
      lastFound = cell.end;
      yield { ...cell, name: names[i]! };
    }
    if (row.next - lastFound > MAX_IDLE_LENGTH) return;
  }
}

const NEXT_VALUE = /\s*[NEne]?(?=(['"])?)/y;
const BARE_VALUE = /(?:[^,()'"]|\([^()]{0,400}\)){0,400}/y;
const AFTER_VALUE = /\s*([,)])/y;
const AFTER_TUPLE = /\s*,?\s*/y;

function readTuple(text: string, at: number): Row | undefined {
  if (text[at] !== '(') return undefined;
  const cells: (TextRange | undefined)[] = [];
  for (let from = at + 1; ; ) {
    const { cell, next } = readValue(text, from);
    cells.push(cell);
    AFTER_VALUE.lastIndex = next;
    const separator = AFTER_VALUE.exec(text)?.[1];
    if (separator === undefined) return undefined;
    from = AFTER_VALUE.lastIndex;
    if (separator === ',') continue;
    AFTER_TUPLE.lastIndex = from;
    AFTER_TUPLE.test(text);
    return { cells, next: AFTER_TUPLE.lastIndex };
  }
}

function readValue(
  text: string,
  from: number,
): { readonly cell: TextRange | undefined; readonly next: number } {
  NEXT_VALUE.lastIndex = from;
  const quote = NEXT_VALUE.exec(text)?.[1];
  const start = NEXT_VALUE.lastIndex;
  if (quote === undefined) {
    BARE_VALUE.lastIndex = start;
    BARE_VALUE.test(text);
    return { cell: undefined, next: BARE_VALUE.lastIndex };
  }
  const end = findClosingQuote(text, start + 1, quote);
  return { cell: { start: start + 1, end }, next: end + 1 };
}

/** A doubled quote and a quote after a backslash belong to the value. */
function findClosingQuote(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at;
      at++;
    }
  }
  return text.length;
}

function readCopiedRow(text: string, at: number): Row | undefined {
  const newline = text.indexOf('\n', at);
  const end = newline === -1 ? text.length : newline;
  if (end === at || text.startsWith('\\.', at)) return undefined;
  const cells: TextRange[] = [];
  for (let start = at; start <= end; ) {
    const tab = text.indexOf('\t', start);
    const cellEnd = tab === -1 || tab > end ? end : tab;
    cells.push({ start, end: cellEnd });
    start = cellEnd + 1;
  }
  return { cells, next: end + 1 };
}
