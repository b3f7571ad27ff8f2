import { isJsonObject } from '../../base/json/json.ts';

const MAX_KEYS = 20;
const MAX_KEY_LENGTH = 60;
const MAX_LIST_DEPTH = 4;

/** Describes a value in one line: length and first item of a list, members of an object. Other items are not read. */
export function outlineOf(value: unknown, depth: number): string {
  if (Array.isArray(value)) {
    if (depth > MAX_LIST_DEPTH) return 'list';
    return `${value.length} × ${value.length ? outlineOf(value[0], depth + 1) : 'nothing'}`;
  }
  if (isJsonObject(value)) {
    if (depth > 1) return 'object';
    const keys = Object.keys(value);
    const members = keys
      .slice(0, MAX_KEYS)
      .map((key) => `${key.slice(0, MAX_KEY_LENGTH)}: ${outlineOf(value[key], depth + 1)}`);
    return `{${members.join(', ')}${keys.length > MAX_KEYS ? `, … ${keys.length} keys` : ''}}`;
  }
  return value === null ? 'null' : typeof value;
}
