import { estimateLength } from '../base/json/estimate-length.ts';
import { sizeOf } from '../base/json/json.ts';
import { plainValue } from '../base/json/plain-value.ts';
import { plainLine, plainText } from '../base/text/plain-text.ts';
import type { ContentPart, ToolResult } from '../contract/call/tool-result.ts';

const MAX_EXTRA_LENGTH = 4_096;
const MAX_EXTRA_DEPTH = 64;
/** Names the members of a part that a client did not get. */
const LEFT_OUT = 'toolgate/left_out';

/** Removes invisible and control characters from a result: upstream text must not hide anything from a reader. */
export function sanitizeResult(result: ToolResult): ToolResult {
  const content = mapPreservingIdentity(result.content, sanitizePart);
  const structured = plainValue(result.structured);
  if (content === result.content && structured === result.structured) return result;
  return { ...result, content, ...(structured !== undefined && { structured }) };
}

export function sanitizePart(part: ContentPart): ContentPart {
  const sanitized = sanitizeMembers(part);
  if (sanitized.type !== 'resource') return sanitized;
  const resource = sanitizeMembers(sanitized.resource);
  return resource === sanitized.resource ? sanitized : { ...sanitized, resource };
}

/** Maps a list; returns the same list if no item changes. */
function mapPreservingIdentity<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change);
  return changed.every((item, i) => item === items[i]) ? items : changed;
}

/** Base64 is long and cannot hide anything, so it is not sanitized. */
const BASE64 = new Set(['data', 'blob']);
/** Members that are the content itself: never left out, whatever their length. */
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

/** Members that the protocol does not define pass unchanged, unless they are too large or too deep. */
function sanitizeMembers<Holder extends object>(holder: Holder): Holder {
  const all = Object.entries(holder);
  const passed = all.filter(([key, member]) => CONTENT.has(key) || isSmall(member));
  const sanitized = mapPreservingIdentity(passed, sanitizeEntry);
  if (sanitized === passed && passed.length === all.length) return holder;
  const members: Record<string, unknown> = Object.fromEntries(sanitized);
  if (passed.length === all.length) return members as Holder;
  const leftOut = all.flatMap(([key]) => (Object.hasOwn(members, key) ? [] : [plainLine(key, 64)]));
  return { ...members, _meta: { ...(members._meta as object), [LEFT_OUT]: leftOut } } as unknown as Holder;
}

function sanitizeEntry(entry: [string, unknown]): [string, unknown] {
  const [key, member] = entry;
  if (typeof member !== 'string' || BASE64.has(key)) return entry;
  const sanitized = plainText(member);
  return sanitized === member ? entry : [key, sanitized];
}

function isSmall(member: unknown): boolean {
  return (
    estimateLength(member, MAX_EXTRA_LENGTH) <= MAX_EXTRA_LENGTH &&
    sizeOf(member, MAX_EXTRA_DEPTH).depth <= MAX_EXTRA_DEPTH
  );
}
