import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { valueAtFragment } from '../../base/json/pointer.ts';
import { schemasInPlace } from '../../base/json/schema-walk.ts';
import { meteredPattern } from './metered-pattern.ts';
import { CpuBudgetExceeded, withCpuBudget } from './metering.ts';

export interface NamedProperties {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
  /** The schema says itself what may stand beside the named ones, so its own word counts. */
  readonly open: boolean;
}

/** Keywords by which a schema decides itself about properties that it does not name. */
const OTHER_PROPERTIES = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const;

/** The top-level properties that a schema names on any branch: only a property that no branch names may be refused. */
export function namedProperties(schema: JsonObject): NamedProperties {
  const names = new Set<string>();
  const patterns = new Set<string>();
  let isOpen = false;
  const nodes = schemasInPlace([schema], ({ $ref }) =>
    typeof $ref === 'string' ? [valueAtFragment(schema, $ref)] : [],
  );
  for (const node of nodes) {
    const { properties, patternProperties, required, $ref } = node;
    if (OTHER_PROPERTIES.some((keyword) => node[keyword] !== undefined)) isOpen = true;
    // An anchor or an `$id`: ajv resolves it, and a property that is named there must not be refused.
    if (typeof $ref === 'string' && !/^#(?:$|\/)/.test($ref)) isOpen = true;
    if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name);
    if (Array.isArray(required)) for (const name of required) if (typeof name === 'string') names.add(name);
    if (isJsonObject(patternProperties))
      for (const pattern of Object.keys(patternProperties)) patterns.add(pattern);
  }
  return { names, patterns: [...patterns], open: isOpen };
}

const MAX_UNNAMED_TOLD = 200;
const MAX_SEARCH_MS = 20;
const named = new WeakMap<JsonObject, NamedProperties>();

/** The properties of a value that its schema does not name. Many are more than anybody reads, so not all are told. */
export function unnamedProperties(schema: JsonObject, value: JsonObject): string[] {
  let known = named.get(schema);
  if (!known) {
    known = namedProperties(schema);
    named.set(schema, known);
  }
  const { names, patterns, open } = known;
  if (open) return [];
  const tests = patterns.map(meteredPattern);
  const unnamed: string[] = [];
  try {
    withCpuBudget(MAX_SEARCH_MS, () => {
      for (const name of Object.keys(value)) {
        if (names.has(name) || tests.some((pattern) => pattern.test(name))) continue;
        if (unnamed.push(name) >= MAX_UNNAMED_TOLD) return;
      }
    });
  } catch (thrown) {
    // The check of the schema meets the same patterns and says so.
    if (!(thrown instanceof CpuBudgetExceeded)) throw thrown;
  }
  return unnamed;
}
