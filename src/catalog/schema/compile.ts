import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../../base/json/canonical-json.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { DIALECTS, dialectOf, metaSchemaValidator } from './dialect.ts';
import { makeEngine, preparedSchema } from './engine.ts';
import { CpuBudgetExceeded, withCpuBudget } from './metering.ts';
import { describeViolation, type SchemaViolation } from './violation.ts';

/** The violations of one value, none where it fits. Throws `SchemaUnusable` where the schema itself is at fault. */
export type SchemaCheck = (value: unknown) => readonly SchemaViolation[];

export class SchemaUnusable extends Error {
  override readonly name: string = 'SchemaUnusable';
}

class TakesTooLong extends SchemaUnusable {
  override readonly name = 'TakesTooLong';
}

const COMPILED_SCHEMAS_KEPT = 1_000;
/** Of all that are kept together: compiled, a schema takes some thirty times the room of its text. */
const COMPILED_TEXT_KEPT = 4_000_000;
const MAX_CHECK_MS = 60;
const MAX_EVERY_VIOLATION_MS = 30;
/** More than anybody reads, and few enough to describe. */
const MAX_VIOLATIONS = 200;

const digests = new WeakMap<JsonObject, { readonly digest: string; readonly size: number }>();
const compiled = new LRUCache<string, SchemaCheck>({
  max: COMPILED_SCHEMAS_KEPT,
  maxSize: COMPILED_TEXT_KEPT,
});

/** Compiles at first use and remembers by content. Where it takes too long to find every violation, the first must do. */
export function schemaCheck(schema: JsonObject, report: 'every' | 'first'): SchemaCheck {
  if (report === 'first') return compiledOf(schema, 'first');
  const every = compiledOf(schema, 'every');
  return (value) => {
    try {
      return every(value);
    } catch (thrown) {
      if (thrown instanceof TakesTooLong) return compiledOf(schema, 'first')(value);
      throw thrown;
    }
  };
}

function compiledOf(schema: JsonObject, report: 'every' | 'first'): SchemaCheck {
  const { digest, size } = digestOf(schema);
  const key = `${report} ${digest}`;
  let check = compiled.get(key);
  if (!check) {
    check =
      report === 'every'
        ? compile(schema, { allErrors: true, milliseconds: MAX_EVERY_VIOLATION_MS })
        : compile(schema, { allErrors: false, milliseconds: MAX_CHECK_MS });
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

/** A schema that does not compile is remembered too: to find that out again would hold up every call. */
function compile(schema: JsonObject, { allErrors, milliseconds }: CompileOptions): SchemaCheck {
  const dialect = dialectOf(schema);
  if (!dialect) return unusable('it declares an unknown $schema');
  try {
    const validate = makeEngine(dialect, allErrors).compile(preparedSchema(schema));
    return (value) => {
      if (finishes(milliseconds, () => validate(value))) return [];
      return (validate.errors ?? []).slice(0, MAX_VIOLATIONS).map(describeViolation);
    };
  } catch (thrown) {
    return unusable(thrown instanceof RangeError ? 'it is too deep' : 'it does not compile');
  }
}

function unusable(reason: string): SchemaCheck {
  return () => {
    throw new SchemaUnusable(reason);
  };
}

function finishes(milliseconds: number, validate: () => boolean): boolean {
  try {
    return withCpuBudget(milliseconds, validate);
  } catch (thrown) {
    if (thrown instanceof CpuBudgetExceeded) throw new TakesTooLong('checking it takes too long');
    // References that lead in a circle without ever descending into the value run out of stack.
    if (thrown instanceof RangeError) throw new SchemaUnusable('its references never end');
    throw thrown;
  }
}

/** Does at the start what would hold up the first calls: the engine and its meta-schemas take a while to get going. */
export function warmUpSchemas(): void {
  for (const dialect of DIALECTS) metaSchemaValidator(dialect);
  const schema: JsonObject = { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } };
  schemaCheck(schema, 'every')({ a: 1 });
}
