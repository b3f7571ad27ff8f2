import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { escapeToken } from '../../base/json/pointer.ts';
import { defaultOfMember, resolved, schemaOfItem, schemaOfMember } from './schema-of.ts';

export interface Filled {
  readonly args: JsonObject;
  /** What was filled in, by JSON pointer. */
  readonly paths: readonly string[];
}

/**
 * Arguments with what their schema says of absent members: where a member stands in the schema, and nowhere else; not at
 * `leftOut`.
 */
export function withDefaults(args: JsonObject, schema: JsonObject, leftOut: readonly string[] = []): Filled {
  const paths: string[] = [];
  if (!mayHaveDefaults(schema)) return { args, paths };
  // Plain values have no members, and there may be a hundred thousand of them.
  const filledList = (list: readonly unknown[], at: JsonObject | undefined, path: string): unknown[] =>
    list.map((item, i) => (isPlain(item) ? item : filled(item, schemaOfItem(at, i, schema), `${path}/${i}`)));
  const filledObject = (value: JsonObject, at: JsonObject | undefined, path: string): JsonObject => {
    const properties = isJsonObject(at?.properties) ? at.properties : {};
    const missing = Object.keys(properties).flatMap((key): [string, unknown][] => {
      const own = Object.hasOwn(value, key) ? undefined : defaultOfMember(at, key, schema);
      const where = `${path}/${escapeToken(key)}`;
      if (own === undefined || leftOut.includes(where)) return [];
      paths.push(where);
      // A copy: what an upstream sends along with its schema must not be shared between calls.
      return [[key, structuredClone(own)]];
    });
    const present = Object.entries(value).map(([key, member]): [string, unknown] => [
      key,
      isPlain(member)
        ? member
        : filled(member, schemaOfMember(at, key, schema), `${path}/${escapeToken(key)}`),
    ]);
    return Object.fromEntries([...present, ...missing]) as JsonObject;
  };
  const filled = (value: unknown, at: JsonObject | undefined, path: string): unknown =>
    Array.isArray(value) ? filledList(value, at, path) : filledObject(value as JsonObject, at, path);
  return { args: filledObject(args, resolved(schema, schema), ''), paths };
}

const known = new WeakMap<JsonObject, boolean>();

/** Most schemas have none, and every call of a tool asks. */
function mayHaveDefaults(schema: JsonObject): boolean {
  const has = known.get(schema) ?? JSON.stringify(schema).includes('"default"');
  known.set(schema, has);
  return has;
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
