import { isUtf8 } from 'node:buffer';
import { isText, mediaTypeNamed } from '../../base/text/media-type.ts';
import { decodeUtf8 } from '../../base/text/utf8.ts';
import { isTableAs, kindOfText, type TextKind } from './text-kind.ts';

/** Parsed for what they claim to be, so the claim has to hold. */
const PARSED = new Set(['application/json', 'application/x-ndjson', 'text/csv', 'text/tab-separated-values']);

/** An upstream's word for a text, where it is one and it is true; it stands in what a model reads. */
export function mediaTypeOfResource(claimed: unknown, text: string, kind: TextKind): string {
  const named = mediaTypeNamed(claimed);
  if (named === undefined || !isText(named)) return kind.mediaType;
  return !PARSED.has(named) || isTableAs(named, text) ? named : kind.mediaType;
}

export function mediaTypeOfBytes(claimed: unknown, bytes: Uint8Array): string {
  const named = mediaTypeNamed(claimed) ?? 'application/octet-stream';
  if (!PARSED.has(named)) return named;
  if (!isUtf8(bytes)) return 'text/plain';
  const text = decodeUtf8(bytes);
  return mediaTypeOfResource(named, text, kindOfText(text));
}
