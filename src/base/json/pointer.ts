import { isJsonObject, type JsonObject } from './json.ts';

/** What `#/…` points at inside the schema; undefined where that is nothing. */
export function followPointer(schema: JsonObject, pointer: string): unknown {
  let node: unknown = schema;
  for (const token of pointer.split('/').slice(1)) {
    const key = decodeToken(token);
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isJsonObject(node) && Object.hasOwn(node, key)) node = node[key];
    else return undefined;
  }
  return node;
}

/** A name as one token of a pointer (RFC 6901). */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A pointer in a fragment is percent-encoded over its own escapes (RFC 6901, section 6). */
function decodeToken(token: string): string {
  let decoded = token;
  try {
    decoded = decodeURIComponent(token);
  } catch {
    // A stray percent sign stands for itself.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}
