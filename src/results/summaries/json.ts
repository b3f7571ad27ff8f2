import { isJsonObject, type JsonObject } from '../../contract/json.ts';
import { rowsOfJson } from '../rows.ts';
import type { Summary } from './summary.ts';

const FIRST_ROWS = 2;

/** Shape, counts and the first rows: what one needs to know before asking for more. */
export function summarizeJson(document: unknown): Summary {
  const rows = rowsOfJson(document);
  const lines = [`JSON ${shapeOf(document, 0)}`];
  const facts: Record<string, JsonObject[string]> = { format: 'json' };
  if (isJsonObject(document)) Object.assign(facts, scalarMembers(document));
  if (rows) {
    Object.assign(facts, {
      rows: rows.length,
      columns: rows.columns.slice(0, 40),
      ...(rows.at && { rows_at: rows.at }),
    });
    for (let i = 0; i < Math.min(FIRST_ROWS, rows.length); i++)
      lines.push(`row ${i}: ${JSON.stringify(rows.row(i))}`);
  }
  return { text: lines.join('\n'), facts };
}

const MAX_SCALARS = 12;
const MAX_SCALAR_LENGTH = 80;

function scalarMembers(document: JsonObject): JsonObject {
  const scalars = Object.entries(document).filter(
    ([, value]) =>
      typeof value === 'number' ||
      typeof value === 'boolean' ||
      (typeof value === 'string' && value.length <= MAX_SCALAR_LENGTH),
  );
  return Object.fromEntries(scalars.slice(0, MAX_SCALARS));
}

const MAX_KEYS = 20;

export function shapeOf(value: unknown, depth: number): string {
  if (Array.isArray(value))
    return `${value.length} × ${value.length ? shapeOf(value[0], depth + 1) : 'nothing'}`;
  if (isJsonObject(value)) {
    if (depth > 1) return 'object';
    const keys = Object.keys(value);
    const members = keys.slice(0, MAX_KEYS).map((key) => `${key}: ${shapeOf(value[key], depth + 1)}`);
    return `{${members.join(', ')}${keys.length > MAX_KEYS ? `, … ${keys.length} keys` : ''}}`;
  }
  return value === null ? 'null' : typeof value;
}
