import type { Artifact } from '../contract/ports/artifacts.ts';
import { decoded } from './decoded.ts';
import { parsedJson } from './media-type.ts';

let last: { readonly sha256: string; readonly document: WeakRef<object> } | undefined;

/**
 * The document in an artifact; undefined where it holds none. Views of one come in rows, so the last is kept, for as long
 * as its memory is not wanted for anything else.
 */
export function documentIn({ mediaType, sha256, bytes }: Artifact): object | undefined {
  if (mediaType !== 'application/json') return undefined;
  const kept = last?.sha256 === sha256 ? last.document.deref() : undefined;
  if (kept) return kept;
  // A blob may be kept under an upstream's word for it, which need not be true.
  const document = parsedJson(decoded(bytes));
  if (document) last = { sha256, document: new WeakRef(document) };
  return document;
}
