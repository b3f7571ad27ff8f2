import { isUtf8 } from 'node:buffer';
import { isText, mediaTypeNamed } from '../../base/text/media-type.ts';
import { decodeUtf8 } from '../../base/text/utf8.ts';
import { detectTextKind, isClaimedTable, type TextKind } from './text-kind.ts';

/** Types that the gateway parses, so the claim of an upstream must be true. */
const PARSED = new Set(['application/json', 'application/x-ndjson', 'text/csv', 'text/tab-separated-values']);

/** The media type that an upstream claims for a text, if it is valid and true. A model reads it. */
export function mediaTypeOfResource(claimed: unknown, text: string, kind: TextKind): string {
  const named = mediaTypeNamed(claimed);
  if (named === undefined || !isText(named)) return kind.mediaType;
  return !PARSED.has(named) || isClaimedTable(named, text) ? named : kind.mediaType;
}

export function mediaTypeOfBytes(claimed: unknown, bytes: Uint8Array): string {
  const named = mediaTypeNamed(claimed) ?? 'application/octet-stream';
  if (!PARSED.has(named)) return named;
  if (!isUtf8(bytes)) return 'text/plain';
  const text = decodeUtf8(bytes);
  return mediaTypeOfResource(named, text, detectTextKind(text));
}
