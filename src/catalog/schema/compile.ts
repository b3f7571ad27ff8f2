import { createHash } from 'node:crypto';
import { Ajv, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FormatName } from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../../contract/canonical-json.ts';
import type { JsonObject } from '../../contract/json.ts';
import { linearPattern } from './linear-pattern.ts';
import { describeViolation, type SchemaViolation } from './violation.ts';
import { schemaNodes } from './walk.ts';

/** The violations of one value, none where it fits. Throws `SchemaUnusable` where the schema itself is at fault. */
export type SchemaCheck = (value: unknown) => readonly SchemaViolation[];

export class SchemaUnusable extends Error {
  override readonly name = 'SchemaUnusable';
}

const FORMATS: FormatName[] = [
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
const COMPILED_SCHEMAS_KEPT = 1_000;
/** References followed while one value is checked. Schemas that branch and recurse need exponentially many. */
const MAX_STEPS = 100_000;
const STEP = 'x-toolgate-step';

let stepsLeft = 0;

type Dialect = '2020-12' | '2019-09' | 'draft-07';

function dialectOf(schema: JsonObject): Dialect | undefined {
  const declared = schema.$schema;
  if (declared === undefined) return '2020-12';
  if (typeof declared !== 'string') return undefined;
  if (/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(declared)) return '2020-12';
  if (/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/.test(declared)) return '2019-09';
  if (/^https?:\/\/json-schema\.org\/(?:draft-0[67]\/)?schema#?$/.test(declared)) return 'draft-07';
  return undefined;
}

const engines = new Map<string, Ajv>();

function engineFor(dialect: Dialect, allErrors: boolean): Ajv {
  const key = `${dialect} ${allErrors}`;
  let engine = engines.get(key);
  if (!engine) {
    engine = makeEngine(dialect, allErrors);
    engines.set(key, engine);
  }
  return engine;
}

function makeEngine(dialect: Dialect, allErrors: boolean): Ajv {
  const regExp = (source: string) => linearPattern(source) ?? { test: () => true };
  const options: Options = {
    allErrors,
    strict: false,
    logger: false,
    // Foreign schemas may share an $id; none of them may be found by another.
    addUsedSchema: false,
    // Inlining would copy a subschema as often as it is referred to.
    inlineRefs: false,
    code: { regExp: Object.assign(regExp, { code: 'linearPattern' }) },
  };
  const engine: Ajv =
    dialect === '2020-12'
      ? new Ajv2020(options)
      : dialect === '2019-09'
        ? new Ajv2019(options)
        : new Ajv(options);
  for (const name of FORMATS) engine.addFormat(name, boundedFormat(fullFormats[name]));
  engine.addKeyword({
    keyword: STEP,
    errors: false,
    validate: () => {
      if (--stepsLeft < 0) throw new SchemaUnusable('checking it takes too many steps');
      return true;
    },
  });
  // The stock keyword compares every pair, which a large array turns into minutes.
  engine.removeKeyword('uniqueItems');
  engine.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (unique: boolean, items: unknown[]) =>
      !unique || new Set(items.map((item) => canonicalJson(item))).size === items.length,
  });
  return engine;
}

function boundedFormat(format: unknown): (text: string) => boolean {
  const definition =
    typeof format === 'object' && format !== null && 'validate' in format ? format.validate : format;
  return (text) => {
    if (text.length > MAX_FORMATTED_LENGTH) return false;
    return definition instanceof RegExp
      ? definition.test(text)
      : (definition as (text: string) => boolean)(text);
  };
}

/** Why the schema is not one, in its own dialect; undefined where it is. */
export function schemaDefect(schema: JsonObject): string | undefined {
  const dialect = dialectOf(schema);
  if (!dialect) return 'it declares an unknown $schema';
  const engine = engineFor(dialect, false);
  if (engine.validateSchema(schema)) return undefined;
  const first = engine.errors?.[0];
  return `it is not a JSON Schema: ${first?.instancePath || 'the root'} ${first?.message ?? 'is malformed'}`;
}

const digests = new WeakMap<JsonObject, string>();
const compiled = new LRUCache<string, SchemaCheck>({ max: COMPILED_SCHEMAS_KEPT });

/** Compiles at first use, about five milliseconds, and remembers by content. */
export function schemaCheck(schema: JsonObject, report: 'every' | 'first'): SchemaCheck {
  let digest = digests.get(schema);
  if (!digest) {
    digest = createHash('sha256').update(canonicalJson(schema)).digest('base64');
    digests.set(schema, digest);
  }
  const key = `${report} ${digest}`;
  let check = compiled.get(key);
  if (!check) {
    check = compile(schema, report === 'every');
    compiled.set(key, check);
  }
  return check;
}

function compile(schema: JsonObject, allErrors: boolean): SchemaCheck {
  const dialect = dialectOf(schema);
  if (!dialect) throw new SchemaUnusable('it declares an unknown $schema');
  const engine = engineFor(dialect, allErrors);
  const counted = structuredClone(schema);
  for (const { value, isSchema } of schemaNodes(counted)) {
    if (isSchema && typeof value.$ref === 'string') Object.assign(value, { [STEP]: true });
  }
  try {
    const validate = engine.compile(counted);
    return (value) => {
      stepsLeft = MAX_STEPS;
      try {
        return validate(value) ? [] : (validate.errors ?? []).map(describeViolation);
      } catch (thrown) {
        // References that lead in a circle without ever descending into the value run out of stack.
        if (thrown instanceof RangeError) throw new SchemaUnusable('its references never end');
        throw thrown;
      }
    };
  } catch (thrown) {
    throw new SchemaUnusable(thrown instanceof RangeError ? 'it is too deep' : 'it does not compile');
  } finally {
    engine.removeSchema(counted);
  }
}
