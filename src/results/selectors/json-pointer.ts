import { valueAt } from '../../base/json/pointer.ts';
import { viewFault } from './parameters.ts';

/** The value that the path of a selector names in a document; the whole document where there is no path. */
export function valueAtPointer(document: unknown, path: unknown): unknown {
  if (path === undefined) return document;
  if (typeof path !== 'string' || !/^(?:$|\/)/.test(path))
    throw viewFault('"path" must be a JSON pointer such as "/items/0".');
  const value = valueAt(document, path);
  if (value === undefined)
    throw viewFault('No value at that path. List the members above it with json_keys.');
  return value;
}
