import { estimateLength } from '../base/json/estimate-length.ts';
import type { ContentPart, ToolResult } from '../contract/call/tool-result.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import { findShortLinks, type InlinePart, isInline, textOf } from './artifacts/parts.ts';
import { sanitizePart } from './sanitize.ts';

/** Pictures and sounds that reach a model as such: so long in base64, and so many. */
const MAX_INLINE_LENGTH = 1_048_576;
const MAX_INLINE_PARTS = 64;
/** Text has about four characters a token; nothing that a model would read has as many as this. */
const MAX_CHARACTERS_PER_TOKEN = 64;

interface Threshold {
  readonly countTokens: CountTokens;
  readonly thresholdTokens: number;
}

/** Whether a result is too long for sure, told without reading it. */
export function isLong({ thresholdTokens }: Threshold, { content, structured }: ToolResult): boolean {
  const limit = thresholdTokens * MAX_CHARACTERS_PER_TOKEN;
  let length = 0;
  for (const part of content) {
    const text = textOf(part);
    if (text === undefined && !isInline(part)) return true;
    length += (text?.length ?? 0) + 1;
    if (length > limit) return true;
  }
  const inline = content.filter(isInline);
  return firstInline(inline).length < inline.length || estimateLength(structured, limit) > limit;
}

/** Counted together: a client may show a model the text and the structure, which most servers send as both. */
export function fits(
  { countTokens, thresholdTokens }: Threshold,
  { content, structured }: ToolResult,
): boolean {
  const shown = content.map(shownOf);
  if (structured !== undefined) shown.push(JSON.stringify(structured));
  const text = shown.join('\n');
  // A token is at least one byte, so short texts need no counting.
  return Buffer.byteLength(text) <= thresholdTokens || countTokens(text) <= thresholdTokens;
}

/** Bytes, and what only says of which kind they are. */
const NOT_READ = new Set(['type', 'mimeType', 'data', 'blob', 'resource']);

/** All of a part that a client may put before a model. */
function shownOf(part: ContentPart): string {
  const own = shownMembers(part);
  return (part.type === 'resource' ? [...own, ...shownMembers(part.resource)] : own).join('\n');
}

function shownMembers(holder: object): string[] {
  const shown: string[] = [];
  for (const [key, member] of Object.entries(holder)) {
    if (!NOT_READ.has(key)) shown.push(typeof member === 'string' ? member : JSON.stringify(member));
  }
  return shown;
}

/** What stays beside a summary: parts that a model sees or hears as such, and links, while they are few and small. */
export function inlineParts(content: readonly ContentPart[]): ContentPart[] {
  const kept = new Set([...firstInline(content.filter(isInline)), ...findShortLinks(content)]);
  return content.filter((part) => kept.has(part)).map(sanitizePart);
}

function firstInline(parts: readonly InlinePart[]): InlinePart[] {
  let length = 0;
  const small = parts.filter(({ data }) => {
    if (length + data.length > MAX_INLINE_LENGTH) return false;
    length += data.length;
    return true;
  });
  return small.slice(0, MAX_INLINE_PARTS);
}
