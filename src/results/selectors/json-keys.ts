import { isJsonObject } from '../../base/json/json.ts';
import { outlineOf } from '../describe/outline.ts';
import { valueAtPointer } from './json-pointer.ts';
import { pageOf } from './page.ts';
import { readInteger, readJson } from './parameters.ts';
import type { Selector } from './selector.ts';

const KEYS_PER_PAGE = 100;

/** The members of an object or a list with their shapes: a first look at an unknown document. */
export const jsonKeys: Selector = {
  parameters: ['path', 'start', 'from'],
  select(artifact, parameters, maxLength) {
    const node = valueAtPointer(readJson(artifact), parameters.path);
    const start = readInteger(parameters, 'start', 0, 0);
    const { total, page } = membersOf(node, start);
    const { texts, next = { start: start + page.length } } = pageOf(
      { start, from: readInteger(parameters, 'from', 0, 0) },
      { end: start + page.length, maxLength },
      (index) => {
        const [key, member] = page[index - start]!;
        return `${singleLine(key)}: ${outlineOf(member, 1)}`;
      },
    );
    const { path } = parameters;
    return {
      text: total === 0 ? outlineOf(node, 0) : texts.join('\n'),
      totals: { keys: total },
      ...(next.start < total && { next: { json_keys: { ...(path !== undefined && { path }), ...next } } }),
    };
  },
};

function membersOf(node: unknown, start: number): { total: number; page: [key: string, member: unknown][] } {
  if (Array.isArray(node)) {
    const items = node.slice(start, start + KEYS_PER_PAGE);
    return { total: node.length, page: items.map((item, index) => [String(start + index), item]) };
  }
  if (!isJsonObject(node)) return { total: 0, page: [] };
  const keys = Object.keys(node);
  return {
    total: keys.length,
    page: keys.slice(start, start + KEYS_PER_PAGE).map((key) => [key, node[key]]),
  };
}

/** Quotes a key with a line break, which would look like two keys. */
function singleLine(key: string): string {
  return /[\n\r]/.test(key) ? JSON.stringify(key) : key;
}
