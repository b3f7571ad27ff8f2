import { createHash } from 'node:crypto';
import { isText } from '../../base/text/media-type.ts';
import type { ArtifactRef } from '../../contract/call/outcome.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';

const HANDLE = /^art_[0-9a-f]{24}$/;

/** Names bytes by their digest: the same bytes have the same handle on every machine, and no other bytes have it. */
export function makeArtifact(mediaType: string, bytes: Uint8Array): Artifact {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { handle: `art_${sha256.slice(0, 24)}`, sha256, mediaType, bytes };
}

export function isHandle(text: string): boolean {
  return HANDLE.test(text);
}

const TABLE_TYPES = new Set(['text/csv', 'text/tab-separated-values', 'text/markdown']);

export function refTo({ handle, mediaType, bytes }: Artifact): ArtifactRef {
  return { handle, mediaType, bytes: bytes.byteLength, selectors: selectorsFor(mediaType) };
}

/**
 * Lists only the useful selectors, because each name costs tokens. `head` and `bytes` work on every artifact, and the
 * text selectors on every text.
 */
function selectorsFor(mediaType: string): readonly string[] {
  if (mediaType === 'application/json') return ['schema', 'json_keys', 'jsonpath', 'rows', 'head'];
  if (mediaType === 'application/x-ndjson') return ['grep', 'lines', 'schema', 'jsonpath', 'rows', 'tail'];
  if (!isText(mediaType)) return ['head', 'bytes'];
  const hasRows = TABLE_TYPES.has(mediaType);
  return ['grep', 'lines', ...(hasRows ? ['rows'] : []), 'head', 'tail'];
}
