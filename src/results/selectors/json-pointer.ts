import { isJsonObject } from '../../base/json/json.ts';
import { viewFault } from './parameters.ts';

const INDEX = /^(?:0|[1-9]\d*)$/;

/** What a JSON Pointer (RFC 6901) names in a document; the whole of it where there is no path. */
export function valueAtPointer(document: unknown, path: unknown): unknown {
  if (path === undefined || path === '' || path === '/') return document;
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw viewFault('"path" must be a JSON pointer such as "/items/0".');
  }
  let node = document;
  for (const token of path.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(node) && INDEX.test(key) && Number(key) < node.length) node = node[Number(key)];
    else if (isJsonObject(node) && Object.hasOwn(node, key)) node = node[key];
    else throw viewFault('Nothing is at that path. Ask json_keys for the members above it.');
  }
  return node;
}
