import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { schemaNodes } from '../../base/json/schema-walk.ts';
import { estimateProgramSize } from '../../base/text/linear-regexp.ts';
import { compileSchemaPattern } from './metered-pattern.ts';
import { collectReferences, hasDanglingReference, hasExternalReference } from './references.ts';

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

/** Of all patterns together (instructions); compiling one instruction takes about a microsecond. */
const MAX_PATTERN_SIZE = 50_000;
const HARD_MAX_DEPTH = 256;
export const HARD_MAX_NAMES = 10_000;

export interface SchemaFindings {
  /** Why the schema is beyond the limits, or refers to something outside of itself. */
  readonly refused: readonly string[];
  /** Which constraints the gateway does not enforce. */
  readonly unenforced: readonly string[];
}

/** Whether hashing the property names into the tool id would take too long. No setting allows it. */
export function hasTooManyNames({ properties, required }: JsonObject): boolean {
  const named = isJsonObject(properties) ? Object.keys(properties).length : 0;
  return named + (Array.isArray(required) ? required.length : 0) > HARD_MAX_NAMES;
}

/** Whether digesting or copying the schema would overflow the stack. No setting allows it. */
export function isTooDeep(schema: JsonObject): boolean {
  return isDeeperThan(schema, HARD_MAX_DEPTH);
}

/** Checks an untrusted schema before anything compiles it: its size, its depth, its patterns and its references. */
export function inspectSchema(schema: JsonObject, limits: SchemaLimits): SchemaFindings {
  const oversized = findOversize(schema, limits);
  if (oversized !== undefined) return { refused: [oversized], unenforced: [] };
  const subschemas = [...schemaNodes(schema)].flatMap(({ value, isSchema }) => (isSchema ? [value] : []));
  const maps = (keyword: string): string[] =>
    subschemas.flatMap((node) => (isJsonObject(node[keyword]) ? Object.keys(node[keyword]) : []));
  const patterns = subschemas.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []));
  const keyPatterns = maps('patternProperties');
  if (totalPatternSize([...patterns, ...keyPatterns]) > MAX_PATTERN_SIZE) {
    return { refused: ['its patterns are too large together; use smaller repetitions'], unenforced: [] };
  }
  const references = collectReferences(schema, subschemas);
  const refused = [
    maps('properties').length > limits.maxProperties &&
      `more than ${limits.maxProperties} properties (limit: catalog.maxSchemaProperties)`,
    !keyPatterns.every(isLinear) &&
      'a pattern of patternProperties does not run in linear time; use no look-around and no back-references',
    hasExternalReference(references) &&
      'a $ref leads outside of the schema and is never fetched; move the definition into the schema',
    hasDanglingReference(references) && 'a $ref leads to nothing; add the definition or correct the $ref',
  ];
  const unenforced = [
    !patterns.every(isLinear) && 'a pattern does not run in linear time, so only the upstream can enforce it',
  ];
  return { refused: refused.filter(isReason), unenforced: unenforced.filter(isReason) };
}

/** In this order, because each check makes the next one safe to run. */
function findOversize(schema: JsonObject, limits: SchemaLimits): string | undefined {
  if (isDeeperThan(schema, limits.maxDepth))
    return `nested deeper than ${limits.maxDepth} levels (limit: catalog.maxSchemaDepth)`;
  let objects = 0;
  for (const _ of schemaNodes(schema)) {
    if (++objects > limits.maxSubschemas)
      return `more than ${limits.maxSubschemas} subschemas (limit: four times catalog.maxSchemaProperties)`;
  }
  return Buffer.byteLength(JSON.stringify(schema)) > limits.maxBytes
    ? `larger than ${limits.maxBytes} bytes (limit: catalog.maxSchemaBytes)`
    : undefined;
}

function isReason(reason: string | false): reason is string {
  return reason !== false;
}

function isLinear(pattern: string): boolean {
  return compileSchemaPattern(pattern) !== undefined;
}

function totalPatternSize(patterns: readonly string[]): number {
  return [...new Set(patterns)].reduce((sum, pattern) => sum + estimateProgramSize(pattern), 0);
}

/** Uses a list and no recursion, and stops early: hostile schemas are deep. */
function isDeeperThan(value: unknown, maxDepth: number): boolean {
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
