import { isJsonObject } from '../../base/json/json.ts';
import { isText } from '../../base/text/media-type.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';
import { isDocument } from '../artifacts/document.ts';
import { type Rows, rowsOfJson, rowsOfList, rowsOfText } from '../describe/rows.ts';
import { valueAtPointer } from './json-pointer.ts';
import { pageOf, wholeCharacters } from './page.ts';
import { readJson, readText, viewFault, wholeNumber } from './parameters.ts';
import type { Parameters, Selector } from './selector.ts';

const ROWS_A_PAGE = 20;
const MAX_COLUMNS_TOLD = 100;

/** Rows by number, from 0, the end excluded; of all columns or of those named. */
export const rows: Selector = {
  parameters: ['start', 'end', 'columns', 'path', 'from'],
  select(artifact, parameters, room) {
    const set = rowsetIn(artifact, parameters.path);
    const picked = columnsIn(set, parameters);
    const start = wholeNumber(parameters, 'start', 0, 0);
    const end = Math.min(wholeNumber(parameters, 'end', start + ROWS_A_PAGE, start + 1), set.length);
    // A header may take half of a page.
    const header = headerOf(
      picked.map((column) => set.columns[column]),
      room / 2,
    );
    const { texts, next = { start: end } } = pageOf(
      { start, from: wholeNumber(parameters, 'from', 0, 0) },
      { end, room: room - header.length - 1 },
      (index) => {
        const row = set.row(index);
        return JSON.stringify(picked.map((column) => row[column] ?? null));
      },
    );
    const { columns, path } = parameters;
    const again = { ...(columns !== undefined && { columns }), ...(path !== undefined && { path }) };
    return {
      text: [header, ...texts].join('\n'),
      totals: { rows: set.length, columns: set.columns.length },
      ...(next.start < set.length && {
        next: { rows: { ...again, ...next, end: Math.min(next.start + ROWS_A_PAGE, set.length) } },
      }),
    };
  },
};

function headerOf(columns: readonly (string | undefined)[], maxLength: number): string {
  const header = JSON.stringify(columns);
  return header.length <= maxLength ? header : `${wholeCharacters(header.slice(0, maxLength - 1))}…`;
}

function rowsetIn(artifact: Artifact, path: unknown): Rows {
  const set = rowsIn(artifact, path);
  if (!set) throw viewFault('There are no rows here. Ask json_keys where the lists are, or read lines.');
  return set;
}

function rowsIn(artifact: Artifact, path: unknown): Rows | undefined {
  const { mediaType } = artifact;
  if (path === undefined && isText(mediaType) && !isDocument(mediaType)) {
    return rowsOfText(readText(artifact), mediaType);
  }
  const node = valueAtPointer(readJson(artifact), path);
  if (Array.isArray(node)) return rowsOfList(node, typeof path === 'string' ? path : '');
  return isJsonObject(node) ? rowsOfJson(node) : undefined;
}

/** The places of the columns that are wanted. Two may have one name, so a name stands for the first. */
function columnsIn(set: Rows, { columns }: Parameters): readonly number[] {
  if (columns === undefined) return set.columns.map((_, place) => place);
  const places = Array.isArray(columns) ? columns.map((column) => set.columns.indexOf(column)) : [-1];
  if (places.length === 0 || places.includes(-1))
    throw viewFault('"columns" must be a list of the columns.', {
      columns: set.columns.slice(0, MAX_COLUMNS_TOLD).map((column) => plainLine(column, 64)),
    });
  return places;
}
