import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import { valueAtFragment } from '../../base/json/pointer.ts';
import { dialectOf } from '../schema/dialect.ts';

const MAX_HOPS = 16;

/** A schema, and those that its references lead to inside its document, one after the other. */
export function chainFrom(schema: unknown, root: JsonObject): JsonObject[] {
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

/** The schema that a reference leads to, inside its document; itself where it is none. */
export function resolved(schema: unknown, root: JsonObject): JsonObject | undefined {
  return chainFrom(schema, root).at(-1);
}

/** What a schema says of one member of an object, or of one item of a list. */
export function schemaOfMember(
  schema: JsonObject | undefined,
  key: string,
  root: JsonObject,
): JsonObject | undefined {
  return resolved(memberOf(schema, key), root);
}

/** What stands in for an absent member. Beside a reference it counts since 2019-09; before, only where that leads. */
export function defaultOfMember(
  schema: JsonObject | undefined,
  key: string,
  root: JsonObject,
): Json | undefined {
  const chain = chainFrom(memberOf(schema, key), root);
  const heard = dialectOf(root) === 'draft-07' ? chain.slice(-1) : chain;
  return heard.find(({ default: own }) => own !== undefined)?.default;
}

export function schemaOfItem(
  schema: JsonObject | undefined,
  index: number,
  root: JsonObject,
): JsonObject | undefined {
  const prefix = Array.isArray(schema?.prefixItems) ? schema.prefixItems : [];
  return resolved(index < prefix.length ? prefix[index] : schema?.items, root);
}

function memberOf(schema: JsonObject | undefined, key: string): unknown {
  const properties = schema?.properties;
  return isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
}
