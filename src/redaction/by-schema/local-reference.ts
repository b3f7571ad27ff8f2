import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { valueAtFragment } from '../../base/json/pointer.ts';

const ANCHORS = ['$anchor', '$dynamicAnchor'] as const;

/** Where the references of one schema lead, inside of it. What leads outside is never followed. */
export type Follow = (reference: string) => unknown;

export function localReferences(root: JsonObject): Follow {
  let anchors: ReadonlyMap<string, JsonObject> | undefined;
  return (reference) => {
    if (!/^#[^/]/.test(reference)) return valueAtFragment(root, reference);
    anchors ??= collectAnchors(root);
    return anchors.get(reference.slice(1));
  };
}

function collectAnchors(root: JsonObject): Map<string, JsonObject> {
  const anchors = new Map<string, JsonObject>();
  for (const node of collectObjects(root)) {
    for (const word of ANCHORS) if (typeof node[word] === 'string') anchors.set(node[word], node);
  }
  return anchors;
}

/** Every object of a document, by a list and not by recursion: depth is what hostile documents attack. */
export function* collectObjects(root: unknown): Generator<JsonObject> {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (Array.isArray(node)) for (const item of node) open.push(item);
    if (!isJsonObject(node)) continue;
    yield node;
    for (const member of Object.values(node)) open.push(member);
  }
}
