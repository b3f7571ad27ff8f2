import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import { outlineOf } from '../describe/outline.ts';
import { type Rows, rowsOfJson } from '../describe/rows.ts';
import { shapeLines } from '../describe/shape.ts';
import { cutLine, lengthOf, takeLines } from './line-budget.ts';
import type { Summary } from './summary.ts';
import { describeRowset } from './table.ts';

const MAX_POINTER_LENGTH = 200;
const MAX_SHAPE_LENGTH = 300;

/** Shows the shape, the counts and the first rows: what a reader needs before a view. */
export function summarizeJson(document: unknown): Summary {
  const keys = isJsonObject(document) ? Object.keys(document) : [];
  const rows = rowsOfJson(document, keys);
  return {
    facts: { ...shortMembers(document, keys), format: 'json', ...(rows && rowFacts(rows)) },
    text: rows && rows.length > 0 ? describeRows(document, rows) : describeShape(document),
  };
}

function describeRows(document: unknown, rows: Rows): Summary['text'] {
  const rowset = describeRowset(rows);
  const title = rows.at
    ? [
        cutLine(`JSON ${outlineOf(document, 0)}`, MAX_SHAPE_LENGTH),
        cutLine(`${rows.length} rows at ${rows.at}`, MAX_SHAPE_LENGTH),
      ]
    : [`JSON list of ${rows.length} rows`];
  return (maxLength) => [...title, ...rowset(maxLength - lengthOf(title))].join('\n');
}

function describeShape(document: unknown): Summary['text'] {
  const [first, ...rest] = shapeLines(document);
  return (maxLength) => takeLines([`JSON ${first}`, ...rest], maxLength).join('\n');
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

/** The members of an object that are numbers, booleans or short texts, up to a number of them. */
export function shortMembers(document: unknown, keys: readonly string[]): JsonObject {
  if (!isJsonObject(document)) return {};
  const scalars: [string, Json][] = [];
  for (const key of keys) {
    if (scalars.length >= MAX_SCALARS) break;
    const value = document[key]!;
    if (key.length <= MAX_SCALAR_LENGTH && isShortScalar(value)) scalars.push([key, value]);
  }
  return Object.fromEntries(scalars);
}

function isShortScalar(value: Json): boolean {
  if (typeof value === 'string') return value.length <= MAX_SCALAR_LENGTH;
  return typeof value === 'number' || typeof value === 'boolean';
}
