import { isJsonObject } from '../../contract/json.ts';
import { viewFault } from './parameters.ts';

/** What a JSON Pointer (RFC 6901) names in a document; the whole of it where there is no path. */
export function at(document: unknown, path: unknown): unknown {
  if (path === undefined || path === '' || path === '/') return document;
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw viewFault('"path" must be a JSON pointer such as "/items/0".');
  }
  let node = document;
  for (const token of path.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const holds = (isJsonObject(node) || Array.isArray(node)) && Object.hasOwn(node, key);
    if (!holds) throw viewFault('Nothing is at that path. Ask json_keys for the members above it.');
    node = (node as Readonly<Record<string, unknown>>)[key];
  }
  return node;
}
