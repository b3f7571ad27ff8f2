import { canonicalJson } from '../contract/canonical-json.ts';
import type { ContentPart, ToolResult } from '../contract/content.ts';
import type { Artifact } from '../contract/ports/artifacts.ts';
import { makeArtifact } from './artifact.ts';
import { extentOf } from './extent.ts';
import { MAX_PARSED_LENGTH, mediaTypeOfBytes, mediaTypeOfResource, mediaTypeOfText } from './media-type.ts';

/** More parts than this are kept as one list: a handle is a line in the model's context. */
export const MAX_PARTS = 16;
const MAX_SHORT_LINK_LENGTH = 300;
const MAX_COMPARED_LENGTH = 262_144;

/** What a model reads of a part; undefined where it is not text. */
export function textOf(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text;
  if (part.type === 'resource') return part.resource.text;
  if (part.type !== 'resource_link') return undefined;
  return [part.uri, part.name, part.title, part.description].filter(Boolean).join('\n');
}

export function isShortLink(part: ContentPart): boolean {
  return part.type === 'resource_link' && extentOf(part, MAX_SHORT_LINK_LENGTH) <= MAX_SHORT_LINK_LENGTH;
}

/** Everything that a result holds, as artifacts. One at a time: each may be megabytes to encode and to digest. */
export function* artifactsOf({ content, structured }: ToolResult): Generator<Artifact> {
  if (content.length > MAX_PARTS) yield* textArtifacts(JSON.stringify(content));
  else for (const part of content) yield* partArtifacts(part);
  if (structured !== undefined && !content.some((part) => says(part, structured))) {
    yield* textArtifacts(JSON.stringify(structured));
  }
}

function* partArtifacts(part: ContentPart): Generator<Artifact> {
  switch (part.type) {
    case 'text':
      return yield* textArtifacts(part.text);
    case 'image':
    case 'audio':
      return yield bytesArtifact(part.mimeType, part.data);
    case 'resource': {
      const { text, blob = '', mimeType } = part.resource;
      if (text !== undefined) return yield* textArtifacts(text, mediaTypeOfResource(mimeType, text));
      return yield bytesArtifact(mimeType, blob);
    }
    case 'resource_link':
      // A short one stays beside the summary.
      if (!isShortLink(part)) yield* textArtifacts(JSON.stringify(part));
  }
}

function bytesArtifact(claimed: unknown, base64: string): Artifact {
  const bytes = Buffer.from(base64, 'base64');
  return makeArtifact(mediaTypeOfBytes(claimed, bytes), bytes);
}

function* textArtifacts(text: string, mediaType: string = mediaTypeOfText(text)): Generator<Artifact> {
  const pieces = piecesOf(text);
  // A piece of a document is none.
  const type = pieces.length === 1 ? mediaType : 'text/plain';
  for (const piece of pieces) yield makeArtifact(type, Buffer.from(piece));
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
