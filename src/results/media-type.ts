import { isUtf8 } from 'node:buffer';
import { decoded } from './decoded.ts';
import { markdownTableIn } from './markdown-table.ts';
import { isTable } from './table.ts';

/** Longer texts are kept in pieces and read as they are: parsing one would hold up every other caller. */
export const MAX_PARSED_LENGTH = 8_000_000;
const MAX_PARSED_DEPTH = 256;
/** A table that a text begins with is a table; one far below is a part of it. */
const MAX_LOOKED_AT = 4_096;

/** What a text is, told from the text alone: upstreams rarely say. */
export function mediaTypeOfText(text: string): string {
  if (text.length > MAX_PARSED_LENGTH) return 'text/plain';
  if (parsedJson(text)) return 'application/json';
  if (isTable(text, '\t')) return 'text/tab-separated-values';
  if (isTable(text, ',')) return 'text/csv';
  return markdownTableIn(text.slice(0, MAX_LOOKED_AT)) ? 'text/markdown' : 'text/plain';
}

/** An object or a list; undefined where a text is neither, or is too long or too deep to be read as one. */
export function parsedJson(text: string): object | undefined {
  if (text.length > MAX_PARSED_LENGTH || !/^\s*[[{]/.test(text) || isDeeper(text, MAX_PARSED_DEPTH)) {
    return undefined;
  }
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Depth is told from the text: whatever walks a document later does so by recursion. */
function isDeeper(text: string, maxDepth: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (quoted) {
      if (unit === BACKSLASH) i++;
      else if (unit === QUOTE) quoted = false;
    } else if (unit === QUOTE) quoted = true;
    else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > maxDepth) return true;
    } else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return false;
}

/** Parsed for what they claim to be, so the claim has to hold. */
const PARSED = new Set(['application/json', 'text/csv', 'text/tab-separated-values']);

/** An upstream's word for a text, where it is one and it is true; it stands in what a model reads. */
export function mediaTypeOfResource(claimed: unknown, text: string): string {
  const named = mediaTypeNamed(claimed);
  return named === undefined || PARSED.has(named) || !isText(named) ? mediaTypeOfText(text) : named;
}

export function mediaTypeOfBytes(claimed: unknown, bytes: Uint8Array): string {
  const named = mediaTypeNamed(claimed) ?? 'application/octet-stream';
  if (!PARSED.has(named)) return named;
  return isUtf8(bytes) ? mediaTypeOfText(decoded(bytes)) : 'text/plain';
}

/** The type without its parameters (RFC 9110, section 8.3.1); undefined for what is none. */
export function mediaTypeNamed(claimed: unknown): string | undefined {
  if (typeof claimed !== 'string') return undefined;
  return /^([a-z0-9][\w.+-]{0,63}\/[a-z0-9][\w.+-]{0,63})\s*(?:;|$)/i.exec(claimed)?.[1]?.toLowerCase();
}

export function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || /[/+](json|xml|yaml|javascript|toml)$/.test(mediaType);
}
