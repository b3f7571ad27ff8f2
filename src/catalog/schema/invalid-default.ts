import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import { chainFrom } from '../arguments/schema-of.ts';

/** More than any tool means; a hostile schema could make it millions. */
const MAX_OPTIONS = 16;

/**
 * Whether a value breaks a part of a schema by its type or by the values that are allowed, which can be seen without
 * compiling anything: a catalog has thousands of defaults. It says no where it would have to look closer.
 */
export function isInvalidDefault(value: Json, schema: unknown, root: JsonObject): boolean {
  const breaks = (part: JsonObject): boolean => isRuledOut(value, part);
  const breaksEach = (options: Json | undefined): boolean =>
    Array.isArray(options) &&
    options.length <= MAX_OPTIONS &&
    options.every((option) => chainFrom(option, root).some(breaks));
  return chainFrom(schema, root).some(
    (part) => breaks(part) || breaksEach(part.anyOf) || breaksEach(part.oneOf),
  );
}

function isRuledOut(value: Json, { type, enum: allowed, const: only }: JsonObject): boolean {
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return true;
  // Whether two objects are equal takes a closer look.
  if (typeof value === 'object' && value !== null) return false;
  return (Array.isArray(allowed) && !allowed.includes(value)) || (only !== undefined && only !== value);
}

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
