import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../../base/json/canonical-json.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { DIALECTS, dialectOf, metaSchemaValidator } from './dialect.ts';
import { createEngine, prepareSchema } from './engine.ts';
import { CpuBudgetExceeded, withCpuBudget } from './metering.ts';
import { describeViolation, type SchemaViolation } from './violation.ts';

/** Lists the violations of one value, none where it is valid. Throws `SchemaUnusable` where the schema is the problem. */
export type SchemaCheck = (value: unknown) => readonly SchemaViolation[];

export class SchemaUnusable extends Error {
  override readonly name: string = 'SchemaUnusable';
}

class CheckTooSlow extends SchemaUnusable {
  override readonly name = 'CheckTooSlow';
}

const MAX_COMPILED_SCHEMAS = 1_000;
/** Total length of the cached schemas as text; a compiled schema takes about thirty times the memory of its text. */
const MAX_COMPILED_TEXT = 4_000_000;
const MAX_FIRST_VIOLATION_MS = 60;
const MAX_EVERY_VIOLATION_MS = 30;
const MAX_VIOLATIONS = 200;

const digests = new WeakMap<JsonObject, { readonly digest: string; readonly size: number }>();
const compiled = new LRUCache<string, SchemaCheck>({
  max: MAX_COMPILED_SCHEMAS,
  maxSize: MAX_COMPILED_TEXT,
});

/** Compiles at first use and caches by content. Where listing every violation takes too long, it lists the first. */
export function schemaCheck(schema: JsonObject, report: 'every' | 'first'): SchemaCheck {
  if (report === 'first') return compiledCheck(schema, 'first');
  const every = compiledCheck(schema, 'every');
  return (value) => {
    try {
      return every(value);
    } catch (thrown) {
      if (thrown instanceof CheckTooSlow) return compiledCheck(schema, 'first')(value);
      throw thrown;
    }
  };
}

function compiledCheck(schema: JsonObject, report: 'every' | 'first'): SchemaCheck {
  const { digest, size } = digestOf(schema);
  const key = `${report} ${digest}`;
  let check = compiled.get(key);
  if (!check) {
    check =
      report === 'every'
        ? compile(schema, { allErrors: true, milliseconds: MAX_EVERY_VIOLATION_MS })
        : compile(schema, { allErrors: false, milliseconds: MAX_FIRST_VIOLATION_MS });
    compiled.set(key, check, { size });
  }
  return check;
}

function digestOf(schema: JsonObject): { readonly digest: string; readonly size: number } {
  let known = digests.get(schema);
  if (!known) {
    const text = canonicalJson(schema);
    known = { digest: createHash('sha256').update(text).digest('base64'), size: text.length };
    digests.set(schema, known);
  }
  return known;
}

interface CompileOptions {
  readonly allErrors: boolean;
  readonly milliseconds: number;
}

/** A failure to compile becomes a check that throws, so that it is cached too and does not delay every call. */
function compile(schema: JsonObject, { allErrors, milliseconds }: CompileOptions): SchemaCheck {
  const dialect = dialectOf(schema);
  if (!dialect) return failingCheck('it declares an unknown $schema');
  try {
    const validate = createEngine(dialect, allErrors).compile(prepareSchema(schema));
    return (value) => {
      if (runWithBudget(milliseconds, () => validate(value))) return [];
      return (validate.errors ?? []).slice(0, MAX_VIOLATIONS).map(describeViolation);
    };
  } catch (thrown) {
    return failingCheck(thrown instanceof RangeError ? 'it is too deep' : 'it does not compile');
  }
}

function failingCheck(reason: string): SchemaCheck {
  return () => {
    throw new SchemaUnusable(reason);
  };
}

function runWithBudget(milliseconds: number, validate: () => boolean): boolean {
  try {
    return withCpuBudget(milliseconds, validate);
  } catch (thrown) {
    if (thrown instanceof CpuBudgetExceeded) throw new CheckTooSlow('checking it takes too long');
    // References that form a circle without descending into the value overflow the stack.
    if (thrown instanceof RangeError) throw new SchemaUnusable('its references never end');
    throw thrown;
  }
}

/** Loads ajv and compiles the meta-schemas at the start, which would otherwise delay the first calls. */
export function warmUpSchemas(): void {
  for (const dialect of DIALECTS) metaSchemaValidator(dialect);
  const schema: JsonObject = { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } };
  schemaCheck(schema, 'every')({ a: 1 });
}
