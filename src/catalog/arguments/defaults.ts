import { isJsonObject, type JsonObject } from '../../contract/json.ts';
import { resolved, schemaOfMember } from './schema-of.ts';

/** Arguments with what their schema says of absent members: where a member stands in the schema, and nowhere else. */
export function withDefaults(args: JsonObject, schema: JsonObject): JsonObject {
  const fill = (value: JsonObject, at: JsonObject | undefined): JsonObject => {
    const properties = isJsonObject(at?.properties) ? at.properties : {};
    const missing = Object.keys(properties).flatMap((key): [string, unknown][] => {
      const member = Object.hasOwn(value, key) ? undefined : schemaOfMember(at, key, schema);
      // A copy: what an upstream sends along with its schema must not be shared between calls.
      return member?.default === undefined ? [] : [[key, structuredClone(member.default)]];
    });
    const present = Object.entries(value).map(([key, member]): [string, unknown] => [
      key,
      isJsonObject(member) ? fill(member, schemaOfMember(at, key, schema)) : member,
    ]);
    return Object.fromEntries([...present, ...missing]) as JsonObject;
  };
  return fill(args, resolved(schema, schema));
}
