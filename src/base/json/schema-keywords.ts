/** The keywords of JSON Schema, from draft-07 to 2020-12, by the kind of their value. */

export const REFERENCE_KEYWORDS = ['$ref', '$dynamicRef', '$recursiveRef'] as const;
export const ANCHOR_KEYWORDS = ['$anchor', '$dynamicAnchor'] as const;

// Applicators in place: their subschemas describe the same value as the schema that holds them. `not` is none of them,
// because it describes what the value must not be.
export const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
export const IN_PLACE_SCHEMAS = ['if', 'then', 'else'] as const;
/** In `dependencies` of draft-07 a member may also be a list of names. */
export const IN_PLACE_MAPS = ['dependentSchemas', 'dependencies'] as const;

/** Keywords that hold subschemas by name. */
export const SCHEMA_MAPS: readonly string[] = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  ...IN_PLACE_MAPS,
];
/** Keywords that hold values or names, never subschemas. */
export const DATA_KEYWORDS: readonly string[] = [
  'enum',
  'const',
  'default',
  'examples',
  'example',
  'required',
  'dependentRequired',
];
