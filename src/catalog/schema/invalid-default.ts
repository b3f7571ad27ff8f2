import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import { followReferences } from '../arguments/schema-of.ts';

/** Far more than a real tool has; a hostile schema could list millions. */
const MAX_OPTIONS = 16;

/**
 * Whether a default violates the type or the listed values of its schema. It compiles nothing, because a catalog has
 * thousands of defaults; a default that would need a full check counts as valid.
 */
export function isInvalidDefault(value: Json, schema: unknown, root: JsonObject): boolean {
  const violates = (part: JsonObject): boolean => violatesPart(value, part);
  const violatesAll = (options: Json | undefined): boolean =>
    Array.isArray(options) &&
    options.length <= MAX_OPTIONS &&
    options.every((option) => followReferences(option, root).some(violates));
  return followReferences(schema, root).some(
    (part) => violates(part) || violatesAll(part.anyOf) || violatesAll(part.oneOf),
  );
}

function violatesPart(value: Json, { type, enum: allowed, const: only }: JsonObject): boolean {
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return true;
  // Comparing objects would need a full check.
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
