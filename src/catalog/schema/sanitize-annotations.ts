import type { JsonObject } from '../../base/json/json.ts';
import { schemaNodes } from '../../base/json/schema-walk.ts';
import { isInvalidDefault } from './invalid-default.ts';

/** Removes secrets from a value; returns the same value where there are none. */
export type Sanitize = <Value>(value: Value) => Value;

export interface SanitizedSchema {
  readonly schema: JsonObject;
  /** The properties whose default was removed because it violates their own schema. */
  readonly invalidDefaults: readonly string[];
}

const ANNOTATIONS = ['title', 'description', '$comment', 'examples'] as const;

/**
 * A schema without invalid defaults, and without secrets in descriptions, examples and defaults. Its constraints stay
 * unchanged; so does the schema itself where there is nothing to remove.
 */
export function sanitizeAnnotations(schema: JsonObject, sanitize: Sanitize): SanitizedSchema {
  const copy = structuredClone(schema);
  const invalidDefaults: string[] = [];
  let changed = false;
  for (const { value, isSchema, name } of schemaNodes(copy)) {
    if (!isSchema) continue;
    const node: Record<string, unknown> = value;
    for (const keyword of ANNOTATIONS) {
      const sanitized = sanitize(node[keyword]);
      if (sanitized === node[keyword]) continue;
      node[keyword] = sanitized;
      changed = true;
    }
    const { default: own } = value;
    if (own === undefined) continue;
    const isInvalid = isInvalidDefault(own, value, copy);
    if (isInvalid) invalidDefaults.push(name);
    // The upstream still fills in its own default where this one is removed.
    const named = { [name]: own };
    if (!isInvalid && sanitize(named) === named) continue;
    delete node.default;
    changed = true;
  }
  return { schema: changed ? copy : schema, invalidDefaults };
}
