import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { valueAtFragment } from '../../base/json/pointer.ts';
import { schemasInPlace } from '../../base/json/schema-walk.ts';
import { meteredPattern } from './metered-pattern.ts';
import { CpuBudgetExceeded, withCpuBudget } from './metering.ts';

export interface NamedProperties {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
  /** The schema itself decides about other properties, or describes none: no property is refused for being unnamed. */
  readonly open: boolean;
}

/** Keywords by which a schema decides itself about properties that it does not name. */
const OTHER_PROPERTIES = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const;

/** The top-level properties that a schema names on any branch: only a property that no branch names may be refused. */
export function namedProperties(schema: JsonObject): NamedProperties {
  let named = cache.get(schema);
  if (!named) {
    named = collectNames(schema);
    cache.set(schema, named);
  }
  return named;
}

const cache = new WeakMap<JsonObject, NamedProperties>();

function collectNames(schema: JsonObject): NamedProperties {
  const names = new Set<string>();
  const patterns = new Set<string>();
  let isOpen = false;
  let hasList = false;
  const nodes = schemasInPlace([schema], ({ $ref }) =>
    typeof $ref === 'string' ? [valueAtFragment(schema, $ref)] : [],
  );
  for (const node of nodes) {
    const { properties, patternProperties, required, $ref } = node;
    if (OTHER_PROPERTIES.some((keyword) => node[keyword] !== undefined)) isOpen = true;
    // An anchor or an `$id`: ajv resolves it, and a property that is named there must not be refused.
    if (typeof $ref === 'string' && !/^#(?:$|\/)/.test($ref)) isOpen = true;
    if (isJsonObject(properties)) {
      hasList = true;
      for (const name of Object.keys(properties)) names.add(name);
    }
    if (Array.isArray(required)) for (const name of required) if (typeof name === 'string') names.add(name);
    if (isJsonObject(patternProperties))
      for (const pattern of Object.keys(patternProperties)) patterns.add(pattern);
  }
  // A schema such as `{ type: 'object' }` describes no arguments. An empty list says that there are none.
  const describesNone = !hasList && names.size === 0 && patterns.size === 0;
  return { names, patterns: [...patterns], open: isOpen || describesNone };
}

const MAX_UNNAMED = 200;
const MAX_SEARCH_MS = 20;

/** The properties of a value that its schema does not name, at most 200 of them. */
export function unnamedProperties(schema: JsonObject, value: JsonObject): string[] {
  const { names, patterns, open } = namedProperties(schema);
  if (open) return [];
  const tests = patterns.map(meteredPattern);
  const unnamed: string[] = [];
  try {
    withCpuBudget(MAX_SEARCH_MS, () => {
      for (const name of Object.keys(value)) {
        if (names.has(name) || tests.some((pattern) => pattern.test(name))) continue;
        if (unnamed.push(name) >= MAX_UNNAMED) return;
      }
    });
  } catch (thrown) {
    // The schema check runs the same patterns and reports the problem.
    if (!(thrown instanceof CpuBudgetExceeded)) throw thrown;
  }
  return unnamed;
}
