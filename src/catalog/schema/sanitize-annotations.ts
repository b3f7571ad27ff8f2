import type { JsonObject } from '../../base/json/json.ts';
import { schemaNodes } from '../../base/json/schema-walk.ts';
import { isInvalidDefault } from './invalid-default.ts';

/** What may be shown of a value; the same value where it holds nothing that may not. */
export type Clean = <Value>(value: Value) => Value;

export interface SanitizedSchema {
  readonly schema: JsonObject;
  /** The properties whose default breaks their own schema, as far as that is plain. */
  readonly unfit: readonly string[];
}

const WORDS = ['title', 'description', '$comment', 'examples'] as const;

/**
 * A schema whose remarks can be relied on and shown: without defaults that it would itself refuse, and without the secrets
 * that slip into descriptions, examples and defaults. What it demands of a value stays as it is; so does the schema itself
 * where there is nothing to leave out.
 */
export function sanitizeAnnotations(schema: JsonObject, clean: Clean): SanitizedSchema {
  const copy = structuredClone(schema);
  const unfit: string[] = [];
  let changed = false;
  for (const { value, isSchema, name } of schemaNodes(copy)) {
    if (!isSchema) continue;
    const node: Record<string, unknown> = value;
    for (const word of WORDS) {
      const cleaned = clean(node[word]);
      changed ||= cleaned !== node[word];
      if (cleaned !== node[word]) node[word] = cleaned;
    }
    const { default: own } = value;
    if (own === undefined) continue;
    const isUnfit = isInvalidDefault(own, value, copy);
    if (isUnfit) unfit.push(name);
    // The upstream knows its own default: what is left out here it still fills in itself.
    const named = { [name]: own };
    if (!isUnfit && clean(named) === named) continue;
    delete node.default;
    changed = true;
  }
  return { schema: changed ? copy : schema, unfit };
}
