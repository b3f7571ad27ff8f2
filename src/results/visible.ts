import type { ContentPart, ToolResult } from '../contract/content.ts';
import { isJsonObject, sizeOf } from '../contract/json.ts';
import { plainText } from '../contract/plain-text.ts';

const MAX_EXTRA_DEPTH = 64;

/** A result as a model may read it: foreign text without the characters that hide or command. */
export function visibleResult(result: ToolResult): ToolResult {
  return {
    ...result,
    content: result.content.map(visiblePart),
    ...(result.structured !== undefined && { structured: visibleValue(result.structured) }),
  };
}

export function visiblePart(part: ContentPart): ContentPart {
  if (part.type !== 'resource') return visibleMembers(part);
  return { ...visibleMembers(part), resource: visibleMembers(part.resource) };
}

/** Base64 is left as it is: there is much of it, and nothing in it can hide. */
const BASE64 = new Set(['data', 'blob']);

/** What the protocol has no word for travels along untouched, unless nobody could write it down again. */
function visibleMembers<Holder extends object>(holder: Holder): Holder {
  const members = Object.entries(holder).flatMap(([key, member]): [string, unknown][] => {
    if (typeof member === 'string') return [[key, BASE64.has(key) ? member : plainText(member)]];
    return sizeOf(member).depth > MAX_EXTRA_DEPTH ? [] : [[key, member]];
  });
  return Object.fromEntries(members) as Holder;
}

export function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return value.map(visibleValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [visibleKey(key, value), visibleValue(member)]),
  );
}

/** A name that would become another member's name stays as it is: nothing may be lost. */
function visibleKey(key: string, holder: object): string {
  const visible = plainText(key);
  return Object.hasOwn(holder, visible) ? key : visible;
}
