import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { escapeToken } from '../../base/json/pointer.ts';
import { defaultOfMember, resolveReference, schemaOfItem, schemaOfMember } from './schema-of.ts';

export interface FilledArguments {
  readonly args: JsonObject;
  /** JSON pointers of the members that were filled in. */
  readonly paths: readonly string[];
}

/** Fills absent members with the defaults of `properties` at every level, except at the given pointers. */
export function withDefaults(
  args: JsonObject,
  schema: JsonObject,
  except: readonly string[] = [],
): FilledArguments {
  const paths: string[] = [];
  if (!mayHaveDefaults(schema)) return { args, paths };
  // Scalars have no members, and there may be a hundred thousand of them.
  const fillList = (list: readonly unknown[], at: JsonObject | undefined, path: string): unknown[] =>
    list.map((item, i) => (isScalar(item) ? item : fill(item, schemaOfItem(at, i, schema), `${path}/${i}`)));
  const fillObject = (value: JsonObject, at: JsonObject | undefined, path: string): JsonObject => {
    const properties = isJsonObject(at?.properties) ? at.properties : {};
    const missing = Object.keys(properties).flatMap((key): [string, unknown][] => {
      const own = Object.hasOwn(value, key) ? undefined : defaultOfMember(at, key, schema);
      const pointer = `${path}/${escapeToken(key)}`;
      if (own === undefined || except.includes(pointer)) return [];
      paths.push(pointer);
      // A copy, because calls must not share a value that belongs to the schema.
      return [[key, structuredClone(own)]];
    });
    const present = Object.entries(value).map(([key, member]): [string, unknown] => [
      key,
      isScalar(member)
        ? member
        : fill(member, schemaOfMember(at, key, schema), `${path}/${escapeToken(key)}`),
    ]);
    return Object.fromEntries([...present, ...missing]) as JsonObject;
  };
  const fill = (value: unknown, at: JsonObject | undefined, path: string): unknown =>
    Array.isArray(value) ? fillList(value, at, path) : fillObject(value as JsonObject, at, path);
  return { args: fillObject(args, resolveReference(schema, schema), ''), paths };
}

const cache = new WeakMap<JsonObject, boolean>();

/** Most schemas have no defaults, and every call asks. */
function mayHaveDefaults(schema: JsonObject): boolean {
  const has = cache.get(schema) ?? JSON.stringify(schema).includes('"default"');
  cache.set(schema, has);
  return has;
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
