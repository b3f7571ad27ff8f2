import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import { valueAtFragment } from '../../base/json/pointer.ts';
import { dialectOf } from '../schema/dialect.ts';

const MAX_HOPS = 16;

/** A schema and the targets of its references, one after the other; none where they lead nowhere or in a circle. */
export function followReferences(schema: unknown, root: JsonObject): JsonObject[] {
  const chain: JsonObject[] = [];
  let found = schema;
  while (isJsonObject(found) && chain.length <= MAX_HOPS) {
    chain.push(found);
    const { $ref } = found;
    if (typeof $ref !== 'string') return chain;
    found = valueAtFragment(root, $ref);
  }
  return [];
}

/** The schema that a reference leads to in its document; the schema itself where it is no reference. */
export function resolveReference(schema: unknown, root: JsonObject): JsonObject | undefined {
  return followReferences(schema, root).at(-1);
}

/** The subschema of one member of an object. */
export function schemaOfMember(
  schema: JsonObject | undefined,
  key: string,
  root: JsonObject,
): JsonObject | undefined {
  return resolveReference(memberOf(schema, key), root);
}

/** The default of an absent member. A default beside a `$ref` counts since 2019-09, not in draft-07. */
export function defaultOfMember(
  schema: JsonObject | undefined,
  key: string,
  root: JsonObject,
): Json | undefined {
  const chain = followReferences(memberOf(schema, key), root);
  const effective = dialectOf(root) === 'draft-07' ? chain.slice(-1) : chain;
  return effective.find(({ default: own }) => own !== undefined)?.default;
}

/** The subschema of one item of a list. */
export function schemaOfItem(
  schema: JsonObject | undefined,
  index: number,
  root: JsonObject,
): JsonObject | undefined {
  const prefix = Array.isArray(schema?.prefixItems) ? schema.prefixItems : [];
  return resolveReference(index < prefix.length ? prefix[index] : schema?.items, root);
}

function memberOf(schema: JsonObject | undefined, key: string): unknown {
  const properties = schema?.properties;
  return isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
}
