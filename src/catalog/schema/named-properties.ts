import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { valueAtFragment } from '../../base/json/pointer.ts';
import { meteredPattern } from './metered-pattern.ts';
import { CpuBudgetExceeded, withCpuBudget } from './metering.ts';

export interface NamedProperties {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
  /** The schema says itself what may stand beside the named ones, so its own word counts. */
  readonly open: boolean;
}

const OWN_WORD = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const;
const IN_PLACE = ['allOf', 'anyOf', 'oneOf'] as const;
const CONDITIONAL = ['if', 'then', 'else'] as const;
const DEPENDENT = ['dependentSchemas', 'dependencies'] as const;

/** The top-level properties that a schema names anywhere in place: strictness may refuse only what none of it names. */
export function namedProperties(schema: JsonObject): NamedProperties {
  const names = new Set<string>();
  const patterns = new Set<string>();
  const seen = new Set<JsonObject>();
  let isOpen = false;
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const node = open.pop();
    if (!isJsonObject(node) || seen.has(node)) continue;
    seen.add(node);
    const { properties, patternProperties, required, $ref } = node;
    if (OWN_WORD.some((keyword) => node[keyword] !== undefined)) isOpen = true;
    if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name);
    if (Array.isArray(required)) for (const name of required) if (typeof name === 'string') names.add(name);
    if (isJsonObject(patternProperties))
      for (const pattern of Object.keys(patternProperties)) patterns.add(pattern);
    for (const keyword of IN_PLACE) if (Array.isArray(node[keyword])) open.push(...node[keyword]);
    for (const keyword of CONDITIONAL) open.push(node[keyword]);
    for (const keyword of DEPENDENT)
      if (isJsonObject(node[keyword])) open.push(...Object.values(node[keyword]));
    if (typeof $ref !== 'string') continue;
    if ($ref === '#' || $ref.startsWith('#/')) open.push(valueAtFragment(schema, $ref));
    // An anchor or an `$id`: the engine finds it, and strictness must not refuse what is named there.
    else isOpen = true;
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
