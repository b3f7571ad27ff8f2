import type { JsonObject } from '../../base/json/json.ts';
import { valueAtFragment } from '../../base/json/pointer.ts';
import { ANCHOR_KEYWORDS } from '../../base/json/schema-keywords.ts';
import { schemaNodes } from '../../base/json/schema-walk.ts';

/** Finds the target of a reference inside of its schema; undefined for other documents, which are never fetched. */
export type ResolveReference = (reference: string) => unknown;

export function referenceResolver(root: JsonObject): ResolveReference {
  let anchors: ReadonlyMap<string, JsonObject> | undefined;
  return (reference) => {
    if (!/^#[^/]/.test(reference)) return valueAtFragment(root, reference);
    anchors ??= collectAnchors(root);
    return anchors.get(reference.slice(1));
  };
}

function collectAnchors(root: JsonObject): Map<string, JsonObject> {
  const anchors = new Map<string, JsonObject>();
  for (const { value, isSchema } of schemaNodes(root)) {
    if (!isSchema) continue;
    for (const keyword of ANCHOR_KEYWORDS) {
      const anchor = value[keyword];
      if (typeof anchor === 'string') anchors.set(anchor, value);
    }
  }
  return anchors;
}
