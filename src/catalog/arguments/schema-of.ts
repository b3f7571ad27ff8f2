import { isJsonObject, type JsonObject } from '../../contract/json.ts';
import { followPointer } from '../schema/pointer.ts';

const MAX_HOPS = 16;

/** The schema that a reference leads to, inside its document; itself where it is none. */
export function resolved(schema: unknown, root: JsonObject): JsonObject | undefined {
  let found = schema;
  for (let hops = 0; hops < MAX_HOPS && isJsonObject(found) && typeof found.$ref === 'string'; hops++) {
    const { $ref } = found;
    found = $ref === '#' || $ref.startsWith('#/') ? followPointer(root, $ref.slice(1)) : undefined;
  }
  return isJsonObject(found) ? found : undefined;
}

/** What a schema says of one member of an object, or of one item of a list. */
export function schemaOfMember(
  schema: JsonObject | undefined,
  key: string,
  root: JsonObject,
): JsonObject | undefined {
  const properties = schema?.properties;
  return isJsonObject(properties) && Object.hasOwn(properties, key)
    ? resolved(properties[key], root)
    : undefined;
}

export function schemaOfItem(
  schema: JsonObject | undefined,
  index: number,
  root: JsonObject,
): JsonObject | undefined {
  const prefix = Array.isArray(schema?.prefixItems) ? schema.prefixItems : [];
  return resolved(index < prefix.length ? prefix[index] : schema?.items, root);
}
