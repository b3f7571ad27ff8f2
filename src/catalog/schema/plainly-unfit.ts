import { canonicalJson } from '../../contract/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../contract/json.ts';
import { chainFrom } from '../arguments/schema-of.ts';

/**
 * Whether a value breaks a part of a schema by its type or by the values that are allowed, which can be seen without
 * compiling anything: a catalog has thousands of defaults. It says no where it would have to look closer.
 */
export function isPlainlyUnfit(value: Json, schema: unknown, root: JsonObject, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  return chainFrom(schema, root).some(({ type, enum: allowed, const: only, anyOf, oneOf }) => {
    if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return true;
    if (Array.isArray(allowed) && !allowed.some((one) => isEqual(one, value))) return true;
    if (only !== undefined && !isEqual(only, value)) return true;
    return [anyOf, oneOf].some(
      (options) =>
        Array.isArray(options) && options.every((option) => isPlainlyUnfit(value, option, root, depth + 1)),
    );
  });
}

const MAX_DEPTH = 4;

function isOfType(value: Json, type: Json): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isEqual(one: Json, other: Json): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other);
}
