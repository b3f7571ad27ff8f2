import { isJsonObject, type JsonObject } from '../../../../base/json/json.ts';

/** The member of an input schema that makes a client repeat an argument as an HTTP header. */
export const HEADER_MARK = 'x-mcp-header';
export const HEADER_TOKEN: RegExp = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
export const MIRRORED_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** Keywords with a schema or a list of schemas. */
const SUBSCHEMAS = [
  ...[
    'items',
    'prefixItems',
    'contains',
    'additionalProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
  ],
  ...['propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
];
/** Keywords with schemas by name. */
const NAMED_SUBSCHEMAS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];
/** Deeper schemas are refused by admission. */
const MAX_DEPTH = 64;

interface Subschema {
  readonly schema: JsonObject;
  /** Whether only `properties` lead to it, so that one argument is meant. */
  readonly isProperty: boolean;
}

/**
 * Why a tool must not be offered over HTTP: a client must exclude tools whose `x-mcp-header` members break the rules
 * (MCP 2026-07-28, Streamable HTTP). Undefined for a tool that may be offered.
 */
export function findHeaderDefect(inputSchema: unknown): string | undefined {
  const names = new Set<string>();
  for (const { schema, isProperty } of walk(inputSchema, 'root', 0)) {
    if (!Object.hasOwn(schema, HEADER_MARK)) continue;
    const name = schema[HEADER_MARK];
    if (!isProperty) return defect('is allowed on properties of properties only');
    if (typeof name !== 'string' || !HEADER_TOKEN.test(name)) return defect('must be a header name');
    if (!MIRRORED_TYPES.has(schema.type)) return defect('requires the type string, integer or boolean');
    if (names.has(name.toLowerCase())) return defect('must name each header once');
    names.add(name.toLowerCase());
  }
  return undefined;
}

function defect(rule: string): string {
  return `input schema: ${HEADER_MARK} ${rule}; the upstream must correct it`;
}

function* walk(schema: unknown, place: 'root' | 'property' | 'other', depth: number): Generator<Subschema> {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return;
  yield { schema, isProperty: place === 'property' };
  for (const property of valuesOf(schema.properties))
    yield* walk(property, place === 'other' ? 'other' : 'property', depth + 1);
  for (const keyword of SUBSCHEMAS) {
    const value = schema[keyword];
    for (const one of Array.isArray(value) ? value : [value]) yield* walk(one, 'other', depth + 1);
  }
  for (const keyword of NAMED_SUBSCHEMAS)
    for (const one of valuesOf(schema[keyword])) yield* walk(one, 'other', depth + 1);
}

function valuesOf(named: unknown): readonly unknown[] {
  return isJsonObject(named) ? Object.values(named) : [];
}
