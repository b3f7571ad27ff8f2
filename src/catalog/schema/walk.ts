import { isJsonObject, type JsonObject } from '../../contract/json.ts';

const SCHEMA_MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const DATA = new Set(['enum', 'const', 'default', 'examples', 'example', 'required']);

export interface SchemaNode {
  readonly value: JsonObject;
  /** A subschema, as against a map of subschemas or a keyword's own object. */
  readonly isSchema: boolean;
  readonly depth: number;
}

/** Every object of a schema, parents first, by a list and not by recursion: depth is what hostile schemas attack. */
export function* schemaNodes(root: unknown): Generator<SchemaNode> {
  const open: { value: unknown; isSchema: boolean; depth: number }[] = [
    { value: root, isSchema: true, depth: 1 },
  ];
  for (let node = open.pop(); node; node = open.pop()) {
    const { value, isSchema, depth } = node;
    if (Array.isArray(value)) {
      for (const item of value) open.push({ value: item, isSchema: true, depth: depth + 1 });
    } else if (isJsonObject(value)) {
      yield { value, isSchema, depth };
      for (const [key, member] of Object.entries(value)) {
        if (isSchema && DATA.has(key)) continue;
        open.push({ value: member, isSchema: !(isSchema && SCHEMA_MAPS.has(key)), depth: depth + 1 });
      }
    }
  }
}
