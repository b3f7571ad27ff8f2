import { isJsonObject, type JsonObject } from '../../contract/json.ts';
import { type Rows, rowsOfJson } from '../rows.ts';
import { shapeLines } from '../shape.ts';
import { cutLine, lengthOf, linesWithin } from './room.ts';
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
        cutLine(`JSON ${shapeOf(document, 0)}`, MAX_SHAPE_LENGTH),
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

const MAX_KEYS = 20;
const MAX_KEY_LENGTH = 60;
const MAX_LISTS_IN_LISTS = 4;

export function shapeOf(value: unknown, depth: number): string {
  if (Array.isArray(value)) {
    if (depth > MAX_LISTS_IN_LISTS) return 'list';
    return `${value.length} × ${value.length ? shapeOf(value[0], depth + 1) : 'nothing'}`;
  }
  if (isJsonObject(value)) {
    if (depth > 1) return 'object';
    const keys = Object.keys(value);
    const members = keys
      .slice(0, MAX_KEYS)
      .map((key) => `${key.slice(0, MAX_KEY_LENGTH)}: ${shapeOf(value[key], depth + 1)}`);
    return `{${members.join(', ')}${keys.length > MAX_KEYS ? `, … ${keys.length} keys` : ''}}`;
  }
  return value === null ? 'null' : typeof value;
}
