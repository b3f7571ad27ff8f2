import { isJsonObject } from '../../base/json/json.ts';
import { isText } from '../../base/text/media-type.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';
import { isDocument } from '../artifacts/document.ts';
import { LastParsed } from '../artifacts/last-parsed.ts';
import { type Rows, rowsOfJson, rowsOfList, rowsOfText } from '../describe/rows.ts';
import { valueAtPointer } from './json-pointer.ts';
import { pageOf, wholeCharacters } from './page.ts';
import { readInteger, readJson, readText, viewFault } from './parameters.ts';
import type { Parameters, Selector } from './selector.ts';

const ROWS_PER_PAGE = 20;
const MAX_COLUMNS_IN_ERROR = 100;

const lastTable = new LastParsed<Rows>();

/** Rows by number, from 0, the end excluded; all columns, or the named ones. */
export const rows: Selector = {
  parameters: ['start', 'end', 'columns', 'path', 'from'],
  select(artifact, parameters, maxLength) {
    const rowset = readRowset(artifact, parameters.path);
    const indexes = columnIndexes(rowset, parameters);
    const start = readInteger(parameters, 'start', 0, 0);
    const end = Math.min(readInteger(parameters, 'end', start + ROWS_PER_PAGE, start + 1), rowset.length);
    // The header may take at most half of a page.
    const header = headerOf(
      indexes.map((index) => rowset.columns[index]),
      maxLength / 2,
    );
    const { texts, next = { start: end } } = pageOf(
      { start, from: readInteger(parameters, 'from', 0, 0) },
      { end, maxLength: maxLength - header.length - 1 },
      (index) => {
        const row = rowset.row(index);
        return JSON.stringify(indexes.map((column) => row[column] ?? null));
      },
    );
    const { columns, path } = parameters;
    const repeated = { ...(columns !== undefined && { columns }), ...(path !== undefined && { path }) };
    return {
      text: [header, ...texts].join('\n'),
      totals: { rows: rowset.length, columns: rowset.columns.length },
      ...(next.start < rowset.length && {
        next: { rows: { ...repeated, ...next, end: Math.min(next.start + ROWS_PER_PAGE, rowset.length) } },
      }),
    };
  },
};

function headerOf(columns: readonly (string | undefined)[], maxLength: number): string {
  const header = JSON.stringify(columns);
  return header.length <= maxLength ? header : `${wholeCharacters(header.slice(0, maxLength - 1))}…`;
}

function readRowset(artifact: Artifact, path: unknown): Rows {
  const rowset = findRowset(artifact, path);
  if (!rowset) throw viewFault('No rows here. Find lists with "json_keys", or use "lines".');
  return rowset;
}

function findRowset(artifact: Artifact, path: unknown): Rows | undefined {
  const { mediaType } = artifact;
  if (path === undefined && isText(mediaType) && !isDocument(mediaType)) return readTable(artifact);
  const node = valueAtPointer(readJson(artifact), path);
  if (Array.isArray(node)) return rowsOfList(node, typeof path === 'string' ? path : '');
  return isJsonObject(node) ? rowsOfJson(node) : undefined;
}

function readTable(artifact: Artifact): Rows | undefined {
  const table = lastTable.get(artifact) ?? rowsOfText(readText(artifact), artifact.mediaType);
  if (table) lastTable.set(artifact, table);
  return table;
}

/** Two columns may have the same name, so a name selects the first. */
function columnIndexes(rowset: Rows, { columns }: Parameters): readonly number[] {
  if (columns === undefined) return rowset.columns.map((_, index) => index);
  const indexes = Array.isArray(columns) ? columns.map((column) => rowset.columns.indexOf(column)) : [-1];
  if (indexes.length === 0 || indexes.includes(-1))
    throw viewFault('"columns" must be a list of column names.', {
      columns: rowset.columns.slice(0, MAX_COLUMNS_IN_ERROR).map((column) => plainLine(column, 64)),
    });
  return indexes;
}
