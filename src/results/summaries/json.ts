import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { outlineOf } from '../describe/outline.ts';
import { type Rows, rowsOfJson } from '../describe/rows.ts';
import { shapeLines } from '../describe/shape.ts';
import { cutLine, lengthOf, linesWithin } from './line-budget.ts';
import type { Summary } from './summary.ts';
import { tellRowset } from './table.ts';

const MAX_POINTER_LENGTH = 200;
const MAX_SHAPE_LENGTH = 300;

/** Shape, counts and the first rows: what one needs to know before asking for more. */
export function summarizeJson(document: unknown): Summary {
  const rows = rowsOfJson(document);
  return {
    facts: { ...scalarMembers(document), format: 'json', ...(rows && rowFacts(rows)) },
    text: rows && rows.length > 0 ? tellRows(document, rows) : tellShape(document),
  };
}

function tellRows(document: unknown, rows: Rows): Summary['text'] {
  const rowset = tellRowset(rows);
  const title = rows.at
    ? [
        cutLine(`JSON ${outlineOf(document, 0)}`, MAX_SHAPE_LENGTH),
        cutLine(`${rows.length} rows at ${rows.at}`, MAX_SHAPE_LENGTH),
      ]
    : [`JSON list of ${rows.length} rows`];
  return (room) => [...title, ...rowset(room - lengthOf(title))].join('\n');
}

function tellShape(document: unknown): Summary['text'] {
  const [first, ...rest] = shapeLines(document);
  return (room) => linesWithin([`JSON ${first}`, ...rest], room).join('\n');
}

function rowFacts(rows: Rows): JsonObject {
  return {
    rows: rows.length,
    columns: rows.columns.length,
    ...(rows.at && rows.at.length <= MAX_POINTER_LENGTH && { rows_at: rows.at }),
  };
}

const MAX_SCALARS = 12;
const MAX_SCALAR_LENGTH = 80;

function scalarMembers(document: unknown): JsonObject {
  if (!isJsonObject(document)) return {};
  const scalars = Object.entries(document).filter(
    ([key, value]) =>
      key.length <= MAX_SCALAR_LENGTH &&
      (typeof value === 'number' ||
        typeof value === 'boolean' ||
        (typeof value === 'string' && value.length <= MAX_SCALAR_LENGTH)),
  );
  return Object.fromEntries(scalars.slice(0, MAX_SCALARS));
}
