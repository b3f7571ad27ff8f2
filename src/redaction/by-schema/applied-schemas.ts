import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { REFERENCE_KEYWORDS } from '../../base/json/schema-keywords.ts';
import { schemasInPlace } from '../../base/json/schema-walk.ts';
import { LinearRegexpCache } from '../../base/text/linear-regexp.ts';
import { referenceResolver } from './local-reference.ts';

const OTHER_MEMBERS = ['additionalProperties', 'unevaluatedProperties'] as const;
const OTHER_ITEMS = ['additionalItems', 'unevaluatedItems', 'contains'] as const;

/**
 * Finds the subschemas that describe each part of a value. A subschema that applies only on a condition counts too,
 * because redacting too much is the smaller harm.
 */
export interface AppliedSchemas {
  readonly toRoot: ReadonlySet<JsonObject>;
  toItem(schemas: ReadonlySet<JsonObject>, index: number): ReadonlySet<JsonObject>;
  toMember(schemas: ReadonlySet<JsonObject>, name: string): ReadonlySet<JsonObject>;
}

export function appliedSchemas(root: JsonObject): AppliedSchemas {
  const resolve = referenceResolver(root);
  const inPlace = (schemas: Iterable<unknown>): ReadonlySet<JsonObject> =>
    schemasInPlace(schemas, (schema) =>
      REFERENCE_KEYWORDS.flatMap((keyword) => {
        const reference = schema[keyword];
        return typeof reference === 'string' ? [resolve(reference)] : [];
      }),
    );
  return {
    toRoot: inPlace([root]),
    toItem: (schemas, index) => inPlace([...schemas].flatMap((schema) => schemasOfItem(schema, index))),
    toMember: (schemas, name) => inPlace([...schemas].flatMap((schema) => schemasOfMember(schema, name))),
  };
}

function schemasOfItem(schema: JsonObject, index: number): unknown[] {
  const { items, prefixItems } = schema;
  // Before 2020-12 a list in `items` did what `prefixItems` does now.
  const [prefix] = [prefixItems, items].filter(Array.isArray);
  if (prefix && index < prefix.length) return [prefix[index], schema.contains];
  return [Array.isArray(items) ? undefined : items, ...OTHER_ITEMS.map((keyword) => schema[keyword])];
}

function schemasOfMember(schema: JsonObject, name: string): unknown[] {
  const { properties, patternProperties } = schema;
  const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
  const matching = isJsonObject(patternProperties)
    ? Object.entries(patternProperties).flatMap(([pattern, subschema]) =>
        mayMatch(pattern, name) ? [subschema] : [],
      )
    : [];
  const named = [...own, ...matching];
  return named.length > 0 ? named : OTHER_MEMBERS.map((keyword) => schema[keyword]);
}

const MAX_TEST_MICROSECONDS = 1_000;
const propertyPatterns = new LinearRegexpCache({ maxLength: 100, maxSize: 500, maxEntries: 500 });

/** Patterns and names are untrusted: one that does not compile or would take long counts as a match. */
function mayMatch(pattern: string, name: string): boolean {
  const regexp = propertyPatterns.get(pattern);
  if (!regexp || name.length * regexp.microsecondsPerCharacter > MAX_TEST_MICROSECONDS) return true;
  return regexp.test(name);
}
