import { canonicalJson } from '../../base/json/canonical-json.ts';
import { estimateLength } from '../../base/json/estimate-length.ts';
import { MAX_PARSED_LENGTH } from '../../base/json/parse.ts';
import type { ContentPart, ToolResult } from '../../contract/call/tool-result.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';
import { mediaTypeOfBytes, mediaTypeOfResource } from '../detect/media-type.ts';
import { kindOfText, type TextKind } from '../detect/text-kind.ts';
import { makeArtifact } from './artifact.ts';
import { rememberDocument } from './document.ts';

/** More texts than this are kept as one list: a handle is a line in the model's context. */
const MAX_TEXTS = 16;
const MAX_SHORT_LINK_LENGTH = 300;
const MAX_COMPARED_LENGTH = 262_144;

export type InlinePart = Extract<ContentPart, { readonly type: 'image' | 'audio' }>;

/** Whether a model sees or hears a part as it is. */
export function isInline(part: ContentPart): part is InlinePart {
  return part.type === 'image' || part.type === 'audio';
}

/** A picture, a sound or a file; undefined for what a model reads. */
export function decodeBytes(
  part: ContentPart,
): { readonly base64: string; readonly claimed: unknown } | undefined {
  if (isInline(part)) return { base64: part.data, claimed: part.mimeType };
  if (part.type !== 'resource' || part.resource.text !== undefined) return undefined;
  return { base64: part.resource.blob ?? '', claimed: part.resource.mimeType };
}

/** What a model reads of a part; undefined where it is not text. */
export function textOf(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text;
  if (part.type === 'resource') return part.resource.text;
  if (part.type !== 'resource_link') return undefined;
  return [part.uri, part.name, part.title, part.description].filter(Boolean).join('\n');
}

/** Those that stay beside a summary, while they are few. */
export function findShortLinks(content: readonly ContentPart[]): ContentPart[] {
  return isListed(content) ? [] : content.filter(isShortLink);
}

function isShortLink(part: ContentPart): boolean {
  return (
    part.type === 'resource_link' && estimateLength(part, MAX_SHORT_LINK_LENGTH) <= MAX_SHORT_LINK_LENGTH
  );
}

function isListed(content: readonly ContentPart[]): boolean {
  return content.filter((part) => !decodeBytes(part)).length > MAX_TEXTS;
}

/** What the texts of a result are. Each was told once, as parsing megabytes takes its time. */
export type TextKinds = ReadonlyMap<string, TextKind>;

/** Everything that a result holds, as artifacts. One at a time: each may be megabytes to encode and to digest. */
export function* artifactsOf({ content, structured }: ToolResult, kinds: TextKinds): Generator<Artifact> {
  const areListed = isListed(content);
  if (areListed) yield* listArtifacts(content.filter((part) => !decodeBytes(part)));
  for (const part of content) {
    const bytes = decodeBytes(part);
    if (bytes) yield bytesArtifact(bytes.claimed, bytes.base64);
    else if (!areListed) yield* textPartArtifacts(part, kinds);
  }
  if (structured !== undefined && !content.some((part) => says(part, structured))) {
    yield* structureArtifacts(structured);
  }
}

function* textPartArtifacts(part: ContentPart, kinds: TextKinds): Generator<Artifact> {
  // A short one stays beside the summary.
  if (isShortLink(part)) return;
  const text = part.type === 'resource_link' ? JSON.stringify(part) : textOf(part)!;
  const kind = kinds.get(text) ?? kindOfText(text);
  const claimed = part.type === 'resource' ? part.resource.mimeType : undefined;
  yield* textArtifacts(text, { ...kind, mediaType: mediaTypeOfResource(claimed, text, kind) });
}

function* listArtifacts(parts: readonly ContentPart[]): Generator<Artifact> {
  const text = JSON.stringify(parts);
  yield* textArtifacts(text, kindOfText(text));
}

/** A structure is at hand, and no deeper than a document may be: what an upstream answers is checked for that. */
function* structureArtifacts(structured: unknown): Generator<Artifact> {
  const text = JSON.stringify(structured);
  const isDocument = typeof structured === 'object' && structured !== null;
  yield* textArtifacts(
    text,
    isDocument ? { mediaType: 'application/json', document: structured } : kindOfText(text),
  );
}

function bytesArtifact(claimed: unknown, base64: string): Artifact {
  const bytes = Buffer.from(base64, 'base64');
  return makeArtifact(mediaTypeOfBytes(claimed, bytes), bytes);
}

function* textArtifacts(text: string, { mediaType, document }: TextKind): Generator<Artifact> {
  const pieces = piecesOf(text);
  // A piece of a document is none.
  const type = pieces.length === 1 ? mediaType : 'text/plain';
  for (const piece of pieces) {
    const artifact = makeArtifact(type, Buffer.from(piece));
    if (document && pieces.length === 1) rememberDocument(artifact, document);
    yield artifact;
  }
}

/** A long text in pieces that end with a line where they can, and never inside of a character. */
function piecesOf(text: string): string[] {
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

/** Most servers send structured content as text too; one copy is enough. */
function says(part: ContentPart, structured: unknown): boolean {
  if (part.type !== 'text') return false;
  if (part.text === structured || part.text === JSON.stringify(structured)) return true;
  if (part.text.length > MAX_COMPARED_LENGTH) return false;
  try {
    return canonicalJson(JSON.parse(part.text)) === canonicalJson(structured);
  } catch {
    return false;
  }
}
