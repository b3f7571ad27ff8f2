import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { LinearRegexpCache } from '../../base/text/linear-regexp.ts';
import { localReferences } from './local-reference.ts';

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const SINGLE = ['if', 'then', 'else'] as const;
const OTHER_MEMBERS = ['additionalProperties', 'unevaluatedProperties'] as const;
const OTHER_ITEMS = ['additionalItems', 'unevaluatedItems', 'contains'] as const;

/**
 * Which parts of a schema say something of a value, at each of its places. A part that applies only under a condition
 * counts: to hide too much is the smaller harm.
 */
export interface AppliedSchemas {
  readonly toRoot: ReadonlySet<JsonObject>;
  toItem(schemas: ReadonlySet<JsonObject>, index: number): ReadonlySet<JsonObject>;
  toMember(schemas: ReadonlySet<JsonObject>, name: string): ReadonlySet<JsonObject>;
}

export function appliedSchemas(root: JsonObject): AppliedSchemas {
  const follow = localReferences(root);
  /** With all that applies in the same place; a reference that leads back is followed once. */
  const inPlace = (schemas: Iterable<unknown>): ReadonlySet<JsonObject> => {
    const applied = new Set<JsonObject>();
    const open = [...schemas];
    while (open.length > 0) {
      const schema = open.pop();
      if (!isJsonObject(schema) || applied.has(schema)) continue;
      applied.add(schema);
      for (const word of REFERENCES) if (typeof schema[word] === 'string') open.push(follow(schema[word]));
      for (const word of LISTS) if (Array.isArray(schema[word])) open.push(...schema[word]);
      for (const word of SINGLE) open.push(schema[word]);
      if (isJsonObject(schema.dependentSchemas)) open.push(...Object.values(schema.dependentSchemas));
    }
    return applied;
  };
  return {
    toRoot: inPlace([root]),
    toItem: (schemas, index) => inPlace([...schemas].flatMap((schema) => ofItem(schema, index))),
    toMember: (schemas, name) => inPlace([...schemas].flatMap((schema) => ofMember(schema, name))),
  };
}

function ofItem(schema: JsonObject, index: number): unknown[] {
  const { items, prefixItems } = schema;
  // Before 2020-12 a list under `items` was what `prefixItems` is now.
  const [placed] = [prefixItems, items].filter(Array.isArray);
  if (placed && index < placed.length) return [placed[index], schema.contains];
  return [Array.isArray(items) ? undefined : items, ...OTHER_ITEMS.map((word) => schema[word])];
}

function ofMember(schema: JsonObject, name: string): unknown[] {
  const { properties, patternProperties } = schema;
  const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
  const matching = isJsonObject(patternProperties)
    ? Object.entries(patternProperties).flatMap(([pattern, below]) =>
        mayMatch(pattern, name) ? [below] : [],
      )
    : [];
  const named = [...own, ...matching];
  return named.length > 0 ? named : OTHER_MEMBERS.map((word) => schema[word]);
}

const MAX_TEST_MICROSECONDS = 1_000;
const propertyPatterns = new LinearRegexpCache({ maxLength: 100, maxSize: 500, maxEntries: 500 });

/** Patterns and names are untrusted: one that does not compile or would take long counts as a match. */
function mayMatch(pattern: string, name: string): boolean {
  const regexp = propertyPatterns.get(pattern);
  if (!regexp || name.length * regexp.microsecondsPerCharacter > MAX_TEST_MICROSECONDS) return true;
  return regexp.test(name);
}
