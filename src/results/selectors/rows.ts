import { isJsonObject } from '../../contract/json.ts';
import { plainLine } from '../../contract/plain-text.ts';
import type { Artifact } from '../../contract/ports/artifacts.ts';
import { type Rows, rowsOfJson, rowsOfList, rowsOfTable } from '../rows.ts';
import { at } from './json-pointer.ts';
import { jsonIn, textIn, viewFault, wholeNumber } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Parameters, type Selector } from './selector.ts';

const ROWS_A_PAGE = 20;
const MAX_COLUMNS_TOLD = 100;
/** A header may take half of a page. */
const MAX_HEADER_LENGTH = MAX_VIEW_LENGTH / 2;

/** Rows by number, from 0, the end excluded; of all columns or of those named. */
export const rows: Selector = {
  parameters: ['start', 'end', 'columns', 'path'],
  select(artifact, parameters) {
    const set = rowsetIn(artifact, parameters.path);
    const picked = columnsIn(set, parameters);
    const start = wholeNumber(parameters, 'start', 0, 0);
    const end = Math.min(wholeNumber(parameters, 'end', start + ROWS_A_PAGE, start + 1), set.length);
    const header = JSON.stringify(picked.map((column) => set.columns[column])).slice(0, MAX_HEADER_LENGTH);
    const room = MAX_VIEW_LENGTH - header.length - 1;
    const taken: string[] = [];
    let length = 0;
    for (let index = start; index < end; index++) {
      const row = set.row(index);
      const line = JSON.stringify(picked.map((column) => row[column] ?? null));
      if (taken.length > 0 && length + line.length > room) break;
      taken.push(line.slice(0, room));
      length += line.length + 1;
    }
    const last = start + taken.length;
    const { columns, path } = parameters;
    const again = { ...(columns !== undefined && { columns }), ...(path !== undefined && { path }) };
    return {
      text: [header, ...taken].join('\n'),
      totals: { rows: set.length, columns: set.columns.length },
      ...(taken.length > 0 &&
        last < set.length && {
          next: { rows: { ...again, start: last, end: Math.min(last + ROWS_A_PAGE, set.length) } },
        }),
    };
  },
};

function rowsetIn(artifact: Artifact, path: unknown): Rows {
  const set = rowsIn(artifact, path);
  if (!set) throw viewFault('There are no rows here. Ask json_keys where the lists are, or read lines.');
  return set;
}

function rowsIn(artifact: Artifact, path: unknown): Rows | undefined {
  const { mediaType } = artifact;
  if (path === undefined && mediaType === 'text/csv') return rowsOfTable(textIn(artifact), ',');
  if (path === undefined && mediaType === 'text/tab-separated-values')
    return rowsOfTable(textIn(artifact), '\t');
  if (path === undefined && mediaType !== 'application/json') return undefined;
  const node = at(jsonIn(artifact), path);
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
