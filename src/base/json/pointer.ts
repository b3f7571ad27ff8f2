import { isJsonObject } from './json.ts';

const INDEX = /^(?:0|[1-9]\d*)$/;

/** The member names of a JSON pointer (RFC 6901); undefined for a text that is no pointer. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  return splitPointer(pointer)?.map(unescapeToken);
}

/** Escapes a member name as one token of a pointer. */
export function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The value that a pointer names in a document; undefined where it names none. As in the paths of violations, `/` is the
 * whole document, although RFC 6901 reads it as the member with the empty name.
 */
export function valueAt(document: unknown, pointer: string): unknown {
  return pointer === '/' ? document : follow(document, parsePointer(pointer));
}

/** The value that a reference such as `#/$defs/a` names in its own document; undefined where it names none. */
export function valueAtFragment(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  return follow(document, splitPointer(reference.slice(1))?.map(decodeToken));
}

function splitPointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return [];
  return pointer.startsWith('/') ? pointer.slice(1).split('/') : undefined;
}

function follow(document: unknown, names: readonly string[] | undefined): unknown {
  if (!names) return undefined;
  let node = document;
  for (const name of names) {
    if (Array.isArray(node) && INDEX.test(name)) node = node[Number(name)];
    else if (isJsonObject(node) && Object.hasOwn(node, name)) node = node[name];
    else return undefined;
  }
  return node;
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A fragment is percent-encoded over the escapes of the pointer (RFC 6901, section 6). */
function decodeToken(token: string): string {
  try {
    return unescapeToken(decodeURIComponent(token));
  } catch {
    // A stray percent sign stands for itself.
    return unescapeToken(token);
  }
}
