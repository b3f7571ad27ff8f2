import type { Ajv, Options } from 'ajv';
import type { FormatName } from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { canonicalJson } from '../../base/json/canonical-json.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { schemaNodes } from '../../base/json/schema-walk.ts';
import { createAjv, type Dialect } from './dialect.ts';
import { meteredPattern } from './metered-pattern.ts';
import { spend } from './metering.ts';
import { METERED_KEYWORDS, METERING_KEYWORD, meteringKeyword } from './metering-keyword.ts';

const FORMATS: readonly FormatName[] = [
  'date-time',
  'date',
  'time',
  'uri',
  'email',
  'uuid',
  'ipv4',
  'ipv6',
  'hostname',
];
const MAX_FORMATTED_LENGTH = 4_096;

/** An engine for one schema: an engine remembers every `$id` and pattern, and schemas must not reach each other's. */
export function createEngine(dialect: Dialect, allErrors: boolean): Ajv {
  const options: Options = {
    allErrors,
    strict: false,
    // 1e400 is parsed as infinity, which would reach the upstream as null.
    strictNumbers: true,
    logger: false,
    // Admission has already validated the schema.
    meta: false,
    validateSchema: false,
    // Inlining would copy a subschema as often as it is referred to.
    inlineRefs: false,
    // A parameter may be called `constructor` or `toString`.
    ownProperties: true,
    // Optimising takes as long as all the rest of compiling, without a measurable gain.
    code: { optimize: false, regExp: Object.assign(meteredPattern, { code: 'meteredPattern' }) },
  };
  const engine = createAjv(dialect, options);
  for (const name of FORMATS) engine.addFormat(name, boundedFormat(fullFormats[name]));
  engine.addKeyword(meteringKeyword);
  // The built-in keyword compares every pair of items, which takes minutes for a large array.
  engine.removeKeyword('uniqueItems');
  engine.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (unique: boolean, items: unknown[]) => !unique || areUnique(items),
  });
  return engine;
}

/** A copy of a schema for ajv: expensive subschemas are metered, and keywords that only ajv knows are removed. */
export function prepareSchema(schema: JsonObject): JsonObject {
  const prepared = structuredClone(schema);
  for (const { value, isSchema } of schemaNodes(prepared)) {
    if (!isSchema) continue;
    const node: Record<string, unknown> = value;
    // `$async` makes ajv return a promise, which counts as true; it throws for the others, which the specification
    // ignores.
    for (const keyword of ['$async', 'id', ...(node.type === undefined ? ['nullable'] : [])])
      delete node[keyword];
    if (!FORMATS.some((format) => format === node.format)) delete node.format;
    if (METERED_KEYWORDS.some((keyword) => node[keyword] !== undefined)) node[METERING_KEYWORD] = true;
  }
  return prepared;
}

function areUnique(items: readonly unknown[]): boolean {
  const scalars = new Set<unknown>();
  const texts = new Set<string>();
  for (const item of items) {
    if (typeof item === 'object' && item !== null) texts.add(meteredText(item));
    else scalars.add(item);
  }
  spend(items.length / 16);
  return scalars.size + texts.size === items.length;
}

function meteredText(item: object): string {
  const text = canonicalJson(item);
  spend(1 + text.length / 64);
  return text;
}

function boundedFormat(format: unknown): (text: string) => boolean {
  const definition =
    typeof format === 'object' && format !== null && 'validate' in format ? format.validate : format;
  return (text) => {
    if (text.length > MAX_FORMATTED_LENGTH) return false;
    spend(1 + text.length / 64);
    return definition instanceof RegExp
      ? definition.test(text)
      : (definition as (text: string) => boolean)(text);
  };
}
