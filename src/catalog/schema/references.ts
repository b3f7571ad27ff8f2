import type { JsonObject } from '../../base/json/json.ts';
import { valueAtFragment } from '../../base/json/pointer.ts';
import { ANCHOR_KEYWORDS, REFERENCE_KEYWORDS } from '../../base/json/schema-keywords.ts';

/** The references of a schema, and what they can resolve to inside of it. */
export interface References {
  readonly schema: JsonObject;
  readonly targets: readonly { readonly base: string; readonly fragment: string }[];
  readonly ids: ReadonlySet<string>;
  readonly anchors: ReadonlySet<string>;
}

export function collectReferences(schema: JsonObject, subschemas: readonly JsonObject[]): References {
  const texts = (node: JsonObject, keywords: readonly string[]): string[] =>
    keywords.flatMap((keyword) => (typeof node[keyword] === 'string' ? [node[keyword]] : []));
  const root = typeof schema.$id === 'string' ? schema.$id : undefined;
  const split = (reference: string): { base: string; fragment: string } => {
    const at = reference.indexOf('#');
    const base = at === -1 ? reference : reference.slice(0, at);
    return { base: base && absolute(base, root), fragment: at === -1 ? '' : reference.slice(at + 1) };
  };
  const ids = subschemas.flatMap((node) => texts(node, ['$id'])).map(split);
  return {
    schema,
    targets: subschemas.flatMap((node) => texts(node, REFERENCE_KEYWORDS)).map(split),
    ids: new Set(ids.map(({ base }) => base)),
    // Before 2019-09 an `$id` that was only a fragment did what `$anchor` does now.
    anchors: new Set([
      ...subschemas.flatMap((node) => texts(node, ANCHOR_KEYWORDS)),
      ...ids.map(({ fragment }) => fragment),
    ]),
  };
}

function absolute(reference: string, root: string | undefined): string {
  return URL.canParse(reference, root) ? new URL(reference, root).href : reference;
}

/** Whether a reference needs another document. */
export function hasExternalReference({ targets, ids }: References): boolean {
  return targets.some(({ base }) => base !== '' && !ids.has(base));
}

/** Whether a reference has no target. References into an embedded resource with its own `$id` are left to ajv. */
export function hasDanglingReference({ schema, targets, anchors }: References): boolean {
  return targets.some(({ base, fragment }) => {
    if (base !== '' || fragment === '') return false;
    return fragment.startsWith('/')
      ? valueAtFragment(schema, `#${fragment}`) === undefined
      : !anchors.has(fragment);
  });
}
