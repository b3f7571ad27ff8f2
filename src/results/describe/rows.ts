import { isJsonObject } from '../../base/json/json.ts';
import { escapeToken } from '../../base/json/pointer.ts';
import { parseCsv } from '../../base/text/csv.ts';
import { detectSeparator } from '../../base/text/csv-format.ts';
import { parseMarkdownTable } from '../../base/text/markdown-table.ts';

/** A rowset: a JSON list, or a table with a header. */
export interface Rows {
  readonly columns: readonly string[];
  readonly length: number;
  /** JSON Pointer of the rows in their document; empty at its root and for tables. */
  readonly at: string;
  row(index: number): readonly unknown[];
}

const MAX_COLUMNS = 1_000;

/** The rows of a text that is a table, or contains one; undefined where there is none. */
export function rowsOfText(text: string, mediaType: string): Rows | undefined {
  const table = parseTable(text, mediaType);
  if (!table) return undefined;
  const [header = ['']] = table;
  return {
    columns: header,
    length: Math.max(table.length - 1, 0),
    at: '',
    row: (index) => table[index + 1] ?? [],
  };
}

function parseTable(text: string, mediaType: string): string[][] | undefined {
  if (mediaType === 'text/csv') return parseCsv(text, detectSeparator(text));
  if (mediaType === 'text/tab-separated-values') return parseCsv(text, '\t');
  return parseMarkdownTable(text);
}

/**
 * The rows of a document: the document itself if it is a list, otherwise the longest list among its members. `keys` are
 * those of the document, where the caller has them: listing them takes long for an object with many members.
 */
export function rowsOfJson(document: unknown, keys?: readonly string[]): Rows | undefined {
  if (Array.isArray(document)) return rowsOfList(document, '');
  if (!isJsonObject(document)) return undefined;
  let longest: { readonly key: string; readonly value: readonly unknown[] } | undefined;
  for (const key of keys ?? Object.keys(document)) {
    const value: unknown = document[key];
    if (Array.isArray(value) && value.length > (longest?.value.length ?? -1)) longest = { key, value };
  }
  return longest && rowsOfList(longest.value, `/${escapeToken(longest.key)}`);
}

export function rowsOfList(list: readonly unknown[], at: string): Rows {
  const columns = columnsOf(list);
  if (!columns) return { columns: ['value'], length: list.length, at, row: (index) => [list[index]] };
  return {
    columns,
    length: list.length,
    at,
    row: (index) => {
      const row = list[index];
      return columns.map((column) => (isJsonObject(row) && Object.hasOwn(row, column) ? row[column] : null));
    },
  };
}

/** All member names of all rows; undefined if the items are not objects of one kind. They are then shown whole. */
function columnsOf(list: readonly unknown[]): readonly string[] | undefined {
  const columns = new Set<string>();
  for (const row of list) {
    if (!isJsonObject(row)) return undefined;
    for (const name of Object.keys(row)) columns.add(name);
    if (columns.size > MAX_COLUMNS) return undefined;
  }
  return columns.size > 0 ? [...columns] : undefined;
}
