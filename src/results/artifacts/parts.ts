import { estimateLength } from '../../base/json/estimate-length.ts';
import { MAX_PARSED_LENGTH } from '../../base/json/parse.ts';
import type { ContentPart, ToolResult } from '../../contract/call/tool-result.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';
import { findBulkText } from '../describe/bulk-text.ts';
import { mediaTypeOfBytes, mediaTypeOfResource } from '../detect/media-type.ts';
import { detectTextKind, type TextKind } from '../detect/text-kind.ts';
import { makeArtifact } from './artifact.ts';
import { rememberDocument } from './document.ts';

/** More texts than this are stored as one list, because each handle is a line in the model's context. */
const MAX_TEXTS = 16;
const MAX_SHORT_LINK_LENGTH = 300;

export type InlinePart = Extract<ContentPart, { readonly type: 'image' | 'audio' }>;

/** Whether a model gets a part as an image or as audio. */
export function isInline(part: ContentPart): part is InlinePart {
  return part.type === 'image' || part.type === 'audio';
}

/** The bytes of an image, audio or file part, still in base64; undefined for text. */
export function readBinary(
  part: ContentPart,
): { readonly base64: string; readonly claimed: unknown } | undefined {
  if (isInline(part)) return { base64: part.data, claimed: part.mimeType };
  if (part.type !== 'resource' || part.resource.text !== undefined) return undefined;
  return { base64: part.resource.blob ?? '', claimed: part.resource.mimeType };
}

/** The text of a part; undefined for binary parts. */
export function textOf(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text;
  if (part.type === 'resource') return part.resource.text;
  if (part.type !== 'resource_link') return undefined;
  return [part.uri, part.name, part.title, part.description].filter(Boolean).join('\n');
}

/** Links that are sent along with a summary, if they are few. */
export function findShortLinks(content: readonly ContentPart[]): ContentPart[] {
  return hasManyTexts(content) ? [] : content.filter(isShortLink);
}

function isShortLink(part: ContentPart): boolean {
  return (
    part.type === 'resource_link' && estimateLength(part, MAX_SHORT_LINK_LENGTH) <= MAX_SHORT_LINK_LENGTH
  );
}

/** Whether the texts of a result are stored as one list. */
export function hasManyTexts(content: readonly ContentPart[]): boolean {
  return content.filter((part) => !readBinary(part)).length > MAX_TEXTS;
}

/** The kinds of a result's texts. Each is detected once, because that may mean parsing megabytes. */
export type TextKinds = ReadonlyMap<string, TextKind>;

/** Yields the contents of a result as artifacts, one at a time: each may be megabytes to encode and to digest. */
export function* artifactsOf({ content, structured }: ToolResult, kinds: TextKinds): Generator<Artifact> {
  const isOneList = hasManyTexts(content);
  if (isOneList) yield* listArtifacts(content.filter((part) => !readBinary(part)));
  for (const part of content) {
    const bytes = readBinary(part);
    if (bytes) yield bytesArtifact(bytes.claimed, bytes.base64);
    else if (!isOneList) yield* textPartArtifacts(part, kinds);
  }
  if (structured === undefined) return;
  const bulk = findBulkText(structured);
  if (!content.some((part) => textOf(part) === bulk?.text)) yield* bulkTextArtifacts(structured, kinds);
  yield* structureArtifacts(structured);
}

function* textPartArtifacts(part: ContentPart, kinds: TextKinds): Generator<Artifact> {
  // A short link is sent along with the summary.
  if (isShortLink(part)) return;
  const text = part.type === 'resource_link' ? JSON.stringify(part) : textOf(part)!;
  const kind = kinds.get(text) ?? detectTextKind(text);
  const claimed = part.type === 'resource' ? part.resource.mimeType : undefined;
  if (part.type !== 'resource_link') yield* bulkTextArtifacts(kind.document, kinds);
  yield* textArtifacts(text, { ...kind, mediaType: mediaTypeOfResource(claimed, text, kind) });
}

/** A document that is mostly one text is also stored as this text: as lines, it can be read and searched. */
function* bulkTextArtifacts(document: unknown, kinds: TextKinds): Generator<Artifact> {
  const bulk = findBulkText(document);
  if (!bulk) return;
  const kind = kinds.get(bulk.text) ?? detectTextKind(bulk.text);
  yield* bulkTextArtifacts(kind.document, kinds);
  yield* textArtifacts(bulk.text, kind);
}

function* listArtifacts(parts: readonly ContentPart[]): Generator<Artifact> {
  yield* textArtifacts(JSON.stringify(parts), { mediaType: 'application/json', document: parts });
}

/** Structured content is already parsed, and upstream answers are checked for depth, so no text is parsed again. */
function* structureArtifacts(structured: unknown): Generator<Artifact> {
  const text = JSON.stringify(structured);
  const isDocument = typeof structured === 'object' && structured !== null;
  yield* textArtifacts(
    text,
    isDocument ? { mediaType: 'application/json', document: structured } : detectTextKind(text),
  );
}

function bytesArtifact(claimed: unknown, base64: string): Artifact {
  const bytes = Buffer.from(base64, 'base64');
  return makeArtifact(mediaTypeOfBytes(claimed, bytes), bytes);
}

function* textArtifacts(text: string, { mediaType, document }: TextKind): Generator<Artifact> {
  const pieces = splitText(text);
  // A piece of a document cannot be parsed by itself.
  const type = pieces.length === 1 ? mediaType : 'text/plain';
  for (const piece of pieces) {
    const artifact = makeArtifact(type, Buffer.from(piece));
    if (document && pieces.length === 1) rememberDocument(artifact, document);
    yield artifact;
  }
}

/** Splits a long text at line ends if possible, and never inside of a character. */
function splitText(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > MAX_PARSED_LENGTH) {
    const limit = start + MAX_PARSED_LENGTH;
    const lineEnd = text.lastIndexOf('\n', limit - 1) + 1;
    const isPair = /[\ud800-\udbff]/.test(text[limit - 1]!);
    const end = lineEnd > start + MAX_PARSED_LENGTH / 2 ? lineEnd : isPair ? limit - 1 : limit;
    pieces.push(text.slice(start, end));
    start = end;
  }
  pieces.push(text.slice(start));
  return pieces;
}
