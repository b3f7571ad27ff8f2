import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { schemaNodes } from '../../base/json/schema-walk.ts';
import { estimateProgramSize } from '../../base/text/linear-regexp.ts';
import { compileSchemaPattern } from './metered-pattern.ts';
import { collectReferences, leadsOutside, leadsToNothing } from './references.ts';

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

/** Of all patterns together, in instructions; compiling one takes about a microsecond. */
const MAX_EXPANDED_PATTERNS = 50_000;
const DEEPEST = 256;
const MOST_NAMES = 10_000;

export interface SchemaFindings {
  /** Why the schema is beyond what we hold, or reaches outside of itself. */
  readonly refused: readonly string[];
  /** What will not be enforced here. */
  readonly unenforced: readonly string[];
}

/** Whether so many properties are named that naming the tool by them would take too long. No setting lets that in. */
export function namesTooMany({ properties, required }: JsonObject): boolean {
  const named = isJsonObject(properties) ? Object.keys(properties).length : 0;
  return named + (Array.isArray(required) ? required.length : 0) > MOST_NAMES;
}

/** Whether it is so deep that digesting or copying it would run out of stack. No setting lets that in. */
export function isTooDeepToHold(schema: JsonObject): boolean {
  return isDeeper(schema, DEEPEST);
}

/** What can be told of an untrusted schema before anything compiles it: its size, its depth, where its references go. */
export function inspectSchema(schema: JsonObject, limits: SchemaLimits): SchemaFindings {
  if (isDeeper(schema, limits.maxDepth)) return refusal(`nested deeper than ${limits.maxDepth}`);
  const subschemas: JsonObject[] = [];
  let objects = 0;
  for (const { value, isSchema } of schemaNodes(schema)) {
    if (++objects > limits.maxSubschemas) return refusal(`more than ${limits.maxSubschemas} subschemas`);
    if (isSchema) subschemas.push(value);
  }
  if (Buffer.byteLength(JSON.stringify(schema)) > limits.maxBytes) {
    return refusal(`larger than ${limits.maxBytes} bytes`);
  }
  const maps = (keyword: string): string[] =>
    subschemas.flatMap((node) => (isJsonObject(node[keyword]) ? Object.keys(node[keyword]) : []));
  const patterns = subschemas.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []));
  const keyPatterns = maps('patternProperties');
  if (sizeOfAll([...patterns, ...keyPatterns]) > MAX_EXPANDED_PATTERNS) {
    return refusal('patterns that are too large together');
  }
  const references = collectReferences(schema, subschemas);
  const refused = [
    maps('properties').length > limits.maxProperties && `more than ${limits.maxProperties} properties`,
    !keyPatterns.every(isLinear) && 'a property pattern that cannot be checked in linear time',
    leadsOutside(references) && 'a $ref leads outside of the schema and is never fetched',
    leadsToNothing(references) && 'a $ref leads to nothing',
  ];
  const unenforced = [!patterns.every(isLinear) && 'a pattern that cannot be checked in linear time'];
  return { refused: refused.filter(isText), unenforced: unenforced.filter(isText) };
}

function refusal(reason: string): SchemaFindings {
  return { refused: [reason], unenforced: [] };
}

function isText(reason: string | false): reason is string {
  return reason !== false;
}

function isLinear(pattern: string): boolean {
  return compileSchemaPattern(pattern) !== undefined;
}

function sizeOfAll(patterns: readonly string[]): number {
  return [...new Set(patterns)].reduce((sum, pattern) => sum + estimateProgramSize(pattern), 0);
}

/** By a list and not by recursion, and no further than it must: depth is what hostile schemas attack. */
function isDeeper(value: unknown, maxDepth: number): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let node = open.pop(); node; node = open.pop()) {
    if (typeof node.value !== 'object' || node.value === null) continue;
    if (node.depth > maxDepth) return true;
    for (const member of Object.values(node.value)) {
      if (typeof member === 'object') open.push({ value: member, depth: node.depth + 1 });
    }
  }
  return false;
}
