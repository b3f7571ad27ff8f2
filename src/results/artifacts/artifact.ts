import { createHash } from 'node:crypto';
import { isText } from '../../base/text/media-type.ts';
import type { ArtifactRef } from '../../contract/call/outcome.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';

const HANDLE = /^art_[0-9a-f]{24}$/;

/** Names bytes by their digest: the same bytes have the same handle on every machine, and no others ever have it. */
export function makeArtifact(mediaType: string, bytes: Uint8Array): Artifact {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { handle: `art_${sha256.slice(0, 24)}`, sha256, mediaType, bytes };
}

export function isHandle(text: string): boolean {
  return HANDLE.test(text);
}

const HAVE_ROWS = new Set(['text/csv', 'text/tab-separated-values', 'text/markdown']);

export function refTo({ handle, mediaType, bytes }: Artifact): ArtifactRef {
  return { handle, mediaType, bytes: bytes.byteLength, selectors: selectorsFor(mediaType) };
}

/** Those that suit: each is a word in the model's context. `head` and `bytes` work on all, text selectors on all text. */
function selectorsFor(mediaType: string): readonly string[] {
  if (mediaType === 'application/json') return ['schema', 'json_keys', 'jsonpath', 'rows', 'head'];
  if (mediaType === 'application/x-ndjson') return ['grep', 'lines', 'schema', 'jsonpath', 'rows', 'tail'];
  if (!isText(mediaType)) return ['head', 'bytes'];
  const hasRows = HAVE_ROWS.has(mediaType);
  return ['grep', 'lines', ...(hasRows ? ['rows'] : []), 'head', 'tail'];
}
