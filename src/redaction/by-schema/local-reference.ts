import { isJsonObject, type JsonObject } from '../../base/json/json.ts';

const ANCHORS = ['$anchor', '$dynamicAnchor'] as const;

/** Where the references of one schema lead, inside of it. What leads outside is never followed. */
export type Follow = (reference: string) => unknown;

export function localReferences(root: JsonObject): Follow {
  let anchors: ReadonlyMap<string, JsonObject> | undefined;
  return (reference) => {
    if (!reference.startsWith('#')) return undefined;
    if (reference === '#') return root;
    if (reference.startsWith('#/')) return atPointer(root, reference.slice(2));
    anchors ??= collectAnchors(root);
    return anchors.get(reference.slice(1));
  };
}

function atPointer(root: JsonObject, pointer: string): unknown {
  let node: unknown = root;
  for (const token of pointer.split('/')) {
    // A pointer in a fragment is percent-encoded over its own escapes (RFC 6901, section 6).
    const key = decoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isJsonObject(node) && Object.hasOwn(node, key)) node = node[key];
    else return undefined;
  }
  return node;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
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
