import { isJsonObject } from '../../contract/json.ts';
import type { Artifact } from '../../contract/ports/artifacts.ts';
import { type Rows, rowsOf, rowsOfJson, rowsOfList } from '../rows.ts';
import { at } from './json-pointer.ts';
import { jsonIn, textIn, viewFault, wholeNumber } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Parameters, type Selector } from './selector.ts';

/** Rows by number, from 0, the end excluded; of all columns or of those named. */
export const rows: Selector = {
  parameters: ['start', 'end', 'columns', 'path'],
  select(artifact, parameters) {
    const set = rowsetIn(artifact, parameters.path);
    const columns = columnsIn(set, parameters);
    const start = wholeNumber(parameters, 'start', 0, 0);
    const end = Math.min(wholeNumber(parameters, 'end', start + 20, 1), set.length);
    const picked = columns.map((column) => set.columns.indexOf(column));
    const taken: string[] = [JSON.stringify(columns)];
    let length = 0;
    let index = start;
    for (; index < end; index++) {
      const row = set.row(index);
      const line = JSON.stringify(picked.map((column) => row[column] ?? null));
      if (index > start && length + line.length > MAX_VIEW_LENGTH) break;
      taken.push(line.slice(0, MAX_VIEW_LENGTH));
      length += line.length + 1;
    }
    const again = Object.fromEntries(
      Object.entries(parameters).filter(([key]) => key === 'columns' || key === 'path'),
    );
    return {
      text: taken.join('\n'),
      totals: { rows: set.length, columns: set.columns.length },
      ...(index < set.length && {
        next: { rows: { ...again, start: index, end: Math.min(index + 20, set.length) } },
      }),
    };
  },
};

function rowsetIn(artifact: Artifact, path: unknown): Rows {
  if (path === undefined) {
    const set = rowsOf(textIn(artifact), artifact.mediaType);
    if (set) return set;
  } else {
    const node = at(jsonIn(artifact), path);
    const set = Array.isArray(node)
      ? rowsOfList(node, String(path))
      : isJsonObject(node)
        ? rowsOfJson(node)
        : undefined;
    if (set) return set;
  }
  throw viewFault('There are no rows here. Ask json_keys where the lists are, or read lines.');
}

function columnsIn(set: Rows, { columns }: Parameters): readonly string[] {
  if (columns === undefined) return set.columns;
  const known = Array.isArray(columns) && columns.every((column) => set.columns.includes(column));
  if (!known)
    throw viewFault('"columns" must be a list of the columns.', { columns: set.columns.slice(0, 100) });
  return columns;
}
