import { estimateLength } from '../base/json/estimate-length.ts';
import { isJsonObject, sizeOf } from '../base/json/json.ts';
import { plainLine, plainText } from '../base/text/plain-text.ts';
import type { ContentPart, ToolResult } from '../contract/call/tool-result.ts';

const MAX_EXTRA_LENGTH = 4_096;
const MAX_EXTRA_DEPTH = 64;
/** Tells a client which members of a part it did not get. */
const LEFT_OUT = 'toolgate/left_out';

/** A result as a model may read it: foreign text without the characters that hide or command. */
export function sanitizeResult(result: ToolResult): ToolResult {
  const content = mapped(result.content, sanitizePart);
  const structured = sanitizeValue(result.structured);
  if (content === result.content && structured === result.structured) return result;
  return { ...result, content, ...(structured !== undefined && { structured }) };
}

export function sanitizePart(part: ContentPart): ContentPart {
  const visible = visibleMembers(part);
  if (visible.type !== 'resource') return visible;
  const resource = visibleMembers(visible.resource);
  return resource === visible.resource ? visible : { ...visible, resource };
}

/** The same list where nothing in it changes. */
function mapped<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change);
  return changed.every((item, i) => item === items[i]) ? items : changed;
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
  const visible = mapped(kept, visibleEntry);
  if (visible === kept && kept.length === all.length) return holder;
  const members: Record<string, unknown> = Object.fromEntries(visible);
  if (kept.length === all.length) return members as Holder;
  const leftOut = all.flatMap(([key]) => (Object.hasOwn(members, key) ? [] : [plainLine(key, 64)]));
  return { ...members, _meta: { ...(members._meta as object), [LEFT_OUT]: leftOut } } as unknown as Holder;
}

function visibleEntry(entry: [string, unknown]): [string, unknown] {
  const [key, member] = entry;
  if (typeof member !== 'string' || BASE64.has(key)) return entry;
  const visible = plainText(member);
  return visible === member ? entry : [key, visible];
}

function isSmall(member: unknown): boolean {
  return (
    estimateLength(member, MAX_EXTRA_LENGTH) <= MAX_EXTRA_LENGTH && sizeOf(member).depth <= MAX_EXTRA_DEPTH
  );
}

/** The same value where nothing in it is hidden. */
export function sanitizeValue(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return mapped<unknown>(value, sanitizeValue);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value);
  const visible = mapped<[string, unknown]>(members, (entry) => {
    const key = visibleKey(entry[0], value);
    const member = sanitizeValue(entry[1]);
    return key === entry[0] && member === entry[1] ? entry : [key, member];
  });
  return visible === members ? value : Object.fromEntries(visible);
}

/** A name that would become another member's name stays as it is: nothing may be lost. */
function visibleKey(key: string, holder: object): string {
  const visible = plainText(key);
  return Object.hasOwn(holder, visible) ? key : visible;
}
