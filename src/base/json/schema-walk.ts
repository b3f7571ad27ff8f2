import { isJsonObject, type JsonObject } from './json.ts';
import {
  DATA_KEYWORDS,
  IN_PLACE_LISTS,
  IN_PLACE_MAPS,
  IN_PLACE_SCHEMAS,
  SCHEMA_MAPS,
} from './schema-keywords.ts';

const schemaMaps = new Set(SCHEMA_MAPS);
const dataKeywords = new Set(DATA_KEYWORDS);

export interface SchemaNode {
  readonly value: JsonObject;
  /** False for a map of subschemas, such as the value of `properties`. */
  readonly isSchema: boolean;
  /** The key above it: for the schema of a property, the name of the property. */
  readonly name: string;
}

/** Every object of a schema except data, parents first. It uses a list and no recursion: hostile schemas are deep. */
export function* schemaNodes(root: unknown): Generator<SchemaNode> {
  const open: { value: unknown; isSchema: boolean; name: string }[] = [
    { value: root, isSchema: true, name: '' },
  ];
  for (let node = open.pop(); node; node = open.pop()) {
    const { value, isSchema, name } = node;
    if (Array.isArray(value)) {
      for (const item of value) open.push({ value: item, isSchema: true, name });
    } else if (isJsonObject(value)) {
      yield { value, isSchema, name };
      for (const [key, member] of Object.entries(value)) {
        if (isSchema && dataKeywords.has(key)) continue;
        open.push({ value: member, isSchema: !(isSchema && schemaMaps.has(key)), name: key });
      }
    }
  }
}

/**
 * The given schemas with all that describe the same value, on a condition or not. `targetsOf` resolves the references of
 * a schema; each schema is visited once, so references may form a circle.
 */
export function schemasInPlace(
  schemas: Iterable<unknown>,
  targetsOf: (schema: JsonObject) => Iterable<unknown>,
): Set<JsonObject> {
  const found = new Set<JsonObject>();
  const open = [...schemas];
  while (open.length > 0) {
    const schema = open.pop();
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    for (const keyword of IN_PLACE_LISTS) {
      const list = schema[keyword];
      if (Array.isArray(list)) for (const item of list) open.push(item);
    }
    for (const keyword of IN_PLACE_SCHEMAS) open.push(schema[keyword]);
    for (const keyword of IN_PLACE_MAPS) {
      const map = schema[keyword];
      if (isJsonObject(map)) for (const member of Object.values(map)) open.push(member);
    }
    for (const target of targetsOf(schema)) open.push(target);
  }
  return found;
}
