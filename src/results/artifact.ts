import { createHash } from 'node:crypto';
import type { ArtifactRef } from '../contract/outcome.ts';
import type { Artifact } from '../contract/ports/artifacts.ts';
import type { Principal } from '../contract/principal.ts';
import { isText } from './media-type.ts';

const HANDLE = /^art_[0-9a-f]{24}$/;

/** Names bytes by their digest: the same bytes have the same handle on every machine, and no others ever have it. */
export function makeArtifact(mediaType: string, bytes: Uint8Array): Artifact {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { handle: `art_${sha256.slice(0, 24)}`, sha256, mediaType, bytes };
}

export function isHandle(text: string): boolean {
  return HANDLE.test(text);
}

/** Whose artifacts these are. JSON keeps a tenant and an id from running into each other. */
export function ownerOf(principal: Principal): string {
  return JSON.stringify([principal.tenant ?? null, principal.id]);
}

export function refTo({ handle, mediaType, bytes }: Artifact): ArtifactRef {
  return { handle, mediaType, bytes: bytes.byteLength, selectors: selectorsFor(mediaType) };
}

function selectorsFor(mediaType: string): readonly string[] {
  if (mediaType === 'application/json') return ['head', 'json_keys', 'rows'];
  if (mediaType === 'text/csv' || mediaType === 'text/tab-separated-values') return ['head', 'lines', 'rows'];
  return isText(mediaType) ? ['head', 'lines'] : ['head'];
}
