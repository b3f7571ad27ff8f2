import { isJsonObject } from '../../contract/json.ts';
import { shapeOf } from '../summaries/json.ts';
import { at } from './json-pointer.ts';
import { jsonIn, wholeNumber } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Selector } from './selector.ts';

const KEYS_A_PAGE = 100;

/** The members of an object, or of a list, with their shapes: the way into a document that one does not know. */
export const jsonKeys: Selector = {
  parameters: ['path', 'start'],
  select(artifact, parameters) {
    const node = at(jsonIn(artifact), parameters.path);
    const start = wholeNumber(parameters, 'start', 0, 0);
    const keys = isJsonObject(node) || Array.isArray(node) ? Object.keys(node) : [];
    const members = node as Readonly<Record<string, unknown>>;
    const taken: string[] = [];
    let length = 0;
    for (const key of keys.slice(start, start + KEYS_A_PAGE)) {
      const line = `${key}: ${shapeOf(members[key], 1)}`.slice(0, MAX_VIEW_LENGTH);
      if (taken.length > 0 && length + line.length > MAX_VIEW_LENGTH) break;
      taken.push(line);
      length += line.length + 1;
    }
    const end = start + taken.length;
    const path = parameters.path === undefined ? {} : { path: parameters.path };
    return {
      text: keys.length === 0 ? shapeOf(node, 0) : taken.join('\n'),
      totals: { keys: keys.length },
      ...(end < keys.length && { next: { json_keys: { ...path, start: end } } }),
    };
  },
};
