import { isJsonObject, type JsonObject } from '../../base/json/json.ts';

const SCHEMA_MAPS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
const DATA = new Set(['enum', 'const', 'default', 'examples', 'example', 'required', 'dependentRequired']);

export interface SchemaNode {
  readonly value: JsonObject;
  /** A subschema, as against a map of subschemas or a keyword's own object. */
  readonly isSchema: boolean;
  /** The word under which it stands: of a property, its name. */
  readonly name: string;
}

/** Every object of a schema, parents first, by a list and not by recursion: depth is what hostile schemas attack. */
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
        if (isSchema && DATA.has(key)) continue;
        open.push({ value: member, isSchema: !(isSchema && SCHEMA_MAPS.has(key)), name: key });
      }
    }
  }
}
