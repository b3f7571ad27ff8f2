import { isJsonObject } from '../contract/json.ts';
import { splitRow } from './media-type.ts';

/** A rowset, whatever carried it: a JSON list or a table with a header. */
export interface Rows {
  readonly columns: readonly string[];
  readonly length: number;
  /** Where in a JSON document the rows are; empty at its root and for tables. */
  readonly at: string;
  row(index: number): readonly unknown[];
}

export function rowsOf(text: string, mediaType: string): Rows | undefined {
  if (mediaType === 'application/json') return rowsOfJson(JSON.parse(text));
  if (mediaType === 'text/csv') return rowsOfTable(text, ',');
  if (mediaType === 'text/tab-separated-values') return rowsOfTable(text, '\t');
  return undefined;
}

/** The rows of a document: itself where it is a list, else the longest list among its members. */
export function rowsOfJson(document: unknown): Rows | undefined {
  if (Array.isArray(document)) return rowsOfList(document, '');
  if (!isJsonObject(document)) return undefined;
  const lists = Object.entries(document).flatMap(([key, value]) =>
    Array.isArray(value) ? [{ key, value }] : [],
  );
  const [longest] = lists.sort((a, b) => b.value.length - a.value.length);
  return longest && rowsOfList(longest.value, `/${longest.key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

export function rowsOfList(list: readonly unknown[], at: string): Rows {
  const columns = [
    ...new Set(list.slice(0, 100).flatMap((row) => (isJsonObject(row) ? Object.keys(row) : []))),
  ];
  if (columns.length === 0)
    return { columns: ['value'], length: list.length, at, row: (index) => [list[index]] };
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

function rowsOfTable(text: string, separator: string): Rows {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const columns = splitRow(lines[0] ?? '', separator);
  return {
    columns,
    length: Math.max(lines.length - 1, 0),
    at: '',
    row: (i) => splitRow(lines[i + 1] ?? '', separator),
  };
}
