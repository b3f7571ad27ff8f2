import { isUtf8 } from 'node:buffer';
import { estimateLength } from '../base/json/estimate-length.ts';
import { isText, mediaTypeNamed } from '../base/text/media-type.ts';
import type { ContentPart, ToolResult } from '../contract/call/tool-result.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import { findShortLinks, type InlinePart, isInline, textOf } from './artifacts/parts.ts';
import { repeatsText } from './repeats-text.ts';
import { sanitizePart } from './sanitize.ts';

/** Limits for images and audio that reach a model as such: base64 characters in all, and parts. */
const MAX_INLINE_LENGTH = 1_048_576;
const MAX_INLINE_PARTS = 64;
/** Text has about four characters per token; no readable text has more than this. */
const MAX_CHARACTERS_PER_TOKEN = 64;
/** Base64 has one or two characters per token, and more only where bytes repeat. */
const MAX_BASE64_PER_TOKEN = 8;

interface Threshold {
  readonly countTokens: CountTokens;
  readonly thresholdTokens: number;
}

/** Whether a result certainly does not pass whole. Decided without counting tokens. */
export function isTooLong({ thresholdTokens }: Threshold, { content, structured }: ToolResult): boolean {
  const limit = thresholdTokens * MAX_CHARACTERS_PER_TOKEN;
  let length = 0;
  for (const part of content) {
    const blob = blobOf(part);
    const weight = (blob.length * MAX_CHARACTERS_PER_TOKEN) / MAX_BASE64_PER_TOKEN;
    length += (textOf(part)?.length ?? 0) + weight + 1;
    if (length > limit || (blob !== '' && isTextFile(part, blob))) return true;
  }
  const inline = content.filter(isInline);
  return firstInline(inline).length < inline.length || estimateLength(structured, limit) > limit;
}

/** The base64 of a file. Clients show a model an image or audio as such, and a file as its base64 if at all. */
function blobOf(part: ContentPart): string {
  return part.type === 'resource' ? (part.resource.blob ?? '') : '';
}

/** A text in base64 is stored: a view returns it as text, without hidden characters. */
function isTextFile(part: ContentPart, blob: string): boolean {
  const claimed = part.type === 'resource' ? mediaTypeNamed(part.resource.mimeType) : undefined;
  return isText(claimed ?? '') || isUtf8(Buffer.from(blob, 'base64'));
}

/** Counts what a model reads, and counts it once: most servers send the same content as text and as structure. */
export function fitsInline({ countTokens, thresholdTokens }: Threshold, result: ToolResult): boolean {
  const { content, structured } = result;
  // A token has at least one byte, so short texts need no counting.
  const fits = (text: string): boolean =>
    Buffer.byteLength(text) <= thresholdTokens || countTokens(text) <= thresholdTokens;
  const text = content.map(readableText).join('\n');
  if (structured === undefined) return fits(text);
  const both = `${text}\n${JSON.stringify(structured)}`;
  return Buffer.byteLength(both) <= thresholdTokens || fits(repeatsText(result) ? text : both);
}

/** Members that a model does not read: images and audio, and the type of the bytes. */
const UNREADABLE = new Set(['type', 'mimeType', 'data', 'resource']);

/** Everything of a part that a client may show a model. */
function readableText(part: ContentPart): string {
  const own = readableMembers(part);
  return (part.type === 'resource' ? [...own, ...readableMembers(part.resource)] : own).join('\n');
}

function readableMembers(holder: object): string[] {
  const members: string[] = [];
  for (const [key, member] of Object.entries(holder)) {
    if (!UNREADABLE.has(key)) members.push(typeof member === 'string' ? member : JSON.stringify(member));
  }
  return members;
}

/** The parts that are sent along with a summary: images, audio and links, if they are few and small. */
export function inlineParts(content: readonly ContentPart[]): ContentPart[] {
  const inline = new Set([...firstInline(content.filter(isInline)), ...findShortLinks(content)]);
  return content.filter((part) => inline.has(part)).map(sanitizePart);
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
