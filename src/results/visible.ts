import type { ContentPart, ToolResult } from '../contract/content.ts';
import { isJsonObject, sizeOf } from '../contract/json.ts';
import { plainLine, plainText } from '../contract/plain-text.ts';
import { extentOf } from './extent.ts';

const MAX_EXTRA_LENGTH = 4_096;
const MAX_EXTRA_DEPTH = 64;
/** Tells a client which members of a part it did not get. */
const LEFT_OUT = 'toolgate/left_out';

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
/** The content itself, whatever its length. */
const CONTENT = new Set([
  'type',
  'text',
  'uri',
  'name',
  'title',
  'description',
  'mimeType',
  'resource',
  ...BASE64,
]);

/** What the protocol has no word for travels along untouched, unless it is larger or deeper than a word beside the content. */
function visibleMembers<Holder extends object>(holder: Holder): Holder {
  const all = Object.entries(holder);
  const kept = all.filter(([key, member]) => CONTENT.has(key) || isSmall(member));
  const members = Object.fromEntries(
    kept.map(([key, member]) => [
      key,
      typeof member === 'string' && !BASE64.has(key) ? plainText(member) : member,
    ]),
  );
  if (kept.length === all.length) return members as Holder;
  const leftOut = all.flatMap(([key]) => (Object.hasOwn(members, key) ? [] : [plainLine(key, 64)]));
  return { ...members, _meta: { ...(members._meta as object), [LEFT_OUT]: leftOut } } as unknown as Holder;
}

function isSmall(member: unknown): boolean {
  return extentOf(member, MAX_EXTRA_LENGTH) <= MAX_EXTRA_LENGTH && sizeOf(member).depth <= MAX_EXTRA_DEPTH;
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
