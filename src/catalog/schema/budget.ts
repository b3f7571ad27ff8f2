import { isJsonObject, type JsonObject } from '../../contract/json.ts';
import { linearPattern } from './linear-pattern.ts';
import { followPointer } from './pointer.ts';
import { schemaNodes } from './walk.ts';

export interface SchemaLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxProperties: number;
  readonly maxSubschemas: number;
}

export const DEFAULT_SCHEMA_LIMITS: SchemaLimits = {
  maxBytes: 65_536,
  maxDepth: 32,
  maxProperties: 512,
  maxSubschemas: 2_000,
};

export interface SchemaFindings {
  /** Why the schema is beyond what we hold, or reaches outside of itself. */
  readonly refused: readonly string[];
  /** What will not be enforced here. */
  readonly unenforced: readonly string[];
}

/** What can be told of an untrusted schema before anything compiles it: its size, its depth, where its references go. */
export function inspectSchema(schema: JsonObject, limits: SchemaLimits): SchemaFindings {
  const refused: string[] = [];
  const unenforced: string[] = [];
  const ids = new Set<string>();
  const references: string[] = [];
  let properties = 0;
  let subschemas = 0;

  for (const { value, isSchema, depth } of schemaNodes(schema)) {
    if (depth > limits.maxDepth) return { refused: [`nested deeper than ${limits.maxDepth}`], unenforced };
    if (++subschemas > limits.maxSubschemas) {
      return { refused: [`more than ${limits.maxSubschemas} subschemas`], unenforced };
    }
    if (!isSchema) continue;
    if (isJsonObject(value.properties)) properties += Object.keys(value.properties).length;
    if (typeof value.$id === 'string') ids.add(value.$id);
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      if (typeof value[keyword] === 'string') references.push(value[keyword]);
    }
    if (typeof value.pattern === 'string' && !linearPattern(value.pattern)) {
      unenforced.push('a pattern that cannot be checked in linear time');
    }
    if (isJsonObject(value.patternProperties) && !Object.keys(value.patternProperties).every(linearPattern)) {
      refused.push('a property pattern that cannot be checked in linear time');
    }
  }

  if (properties > limits.maxProperties) refused.push(`more than ${limits.maxProperties} properties`);
  if (JSON.stringify(schema).length > limits.maxBytes) refused.push(`larger than ${limits.maxBytes} bytes`);
  for (const reference of new Set(references)) {
    const [base, fragment] = splitReference(reference);
    if (base !== '' && !ids.has(base))
      refused.push('a $ref leads outside of the schema and is never fetched');
    else if (base === '' && fragment.startsWith('/') && followPointer(schema, fragment) === undefined) {
      refused.push('a $ref leads to nothing');
    }
  }
  return { refused: [...new Set(refused)], unenforced: [...new Set(unenforced)] };
}

function splitReference(reference: string): [base: string, fragment: string] {
  const at = reference.indexOf('#');
  return at === -1 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)];
}
