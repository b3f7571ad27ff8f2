import type { Ajv, Options } from 'ajv';
import type { FormatName } from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { canonicalJson } from '../../base/json/canonical-json.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { schemaNodes } from '../../base/json/schema-walk.ts';
import { type Dialect, engineOf } from './dialect.ts';
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

/** An engine for one schema: engines remember every `$id` and pattern they saw, and no schema may find another's. */
export function makeEngine(dialect: Dialect, allErrors: boolean): Ajv {
  const options: Options = {
    allErrors,
    strict: false,
    // 1e400 is parsed as infinity, which would reach the upstream as null.
    strictNumbers: true,
    logger: false,
    // The catalog judged the schema when it came in.
    meta: false,
    validateSchema: false,
    // Inlining would copy a subschema as often as it is referred to.
    inlineRefs: false,
    // A parameter may be called `constructor` or `toString`.
    ownProperties: true,
    // Optimising takes as long as all the rest of compiling, and gains nothing that can be measured.
    code: { optimize: false, regExp: Object.assign(meteredPattern, { code: 'paidPattern' }) },
  };
  const engine = engineOf(dialect, options);
  for (const name of FORMATS) engine.addFormat(name, boundedFormat(fullFormats[name]));
  engine.addKeyword(meteringKeyword);
  // The stock keyword compares every pair, which a large array turns into minutes.
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

/** A copy that the engine may be given: what can take long pays its toll, and words that only the engine knows are gone. */
export function preparedSchema(schema: JsonObject): JsonObject {
  const prepared = structuredClone(schema);
  for (const { value, isSchema } of schemaNodes(prepared)) {
    if (!isSchema) continue;
    const node: Record<string, unknown> = value;
    // The first makes the engine answer with a promise, which is true; the others make it throw where the
    // specification says to ignore them.
    for (const word of ['$async', 'id', ...(node.type === undefined ? ['nullable'] : [])]) delete node[word];
    if (!FORMATS.some((format) => format === node.format)) delete node.format;
    if (METERED_KEYWORDS.some((keyword) => node[keyword] !== undefined)) node[METERING_KEYWORD] = true;
  }
  return prepared;
}

function areUnique(items: readonly unknown[]): boolean {
  const plain = new Set<unknown>();
  const texts = new Set<string>();
  for (const item of items) {
    if (typeof item === 'object' && item !== null) texts.add(meteredText(item));
    else plain.add(item);
  }
  spend(items.length / 16);
  return plain.size + texts.size === items.length;
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
