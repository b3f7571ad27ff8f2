import { parseJson, parseJsonLines } from '../../base/json/parse.ts';
import { decodeUtf8 } from '../../base/text/utf8.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';

let last: { readonly sha256: string; readonly document: WeakRef<object> } | undefined;

const READERS: Readonly<Record<string, (text: string) => object | undefined>> = {
  'application/json': parseJson,
  'application/x-ndjson': parseJsonLines,
};

/**
 * The document in an artifact; undefined where it holds none. Views of one come in rows, so the last is kept, for as long
 * as its memory is not wanted for anything else.
 */
export function readDocument(artifact: Artifact): object | undefined {
  const { mediaType, sha256, bytes } = artifact;
  if (!isDocument(mediaType)) return undefined;
  const kept = last?.sha256 === sha256 ? last.document.deref() : undefined;
  if (kept) return kept;
  // A blob may be kept under an upstream's word for it, which need not be true.
  const document = READERS[mediaType]!(decodeUtf8(bytes));
  if (document) rememberDocument(artifact, document);
  return document;
}

/** What was parsed before the first view of it need not be parsed for that. */
export function rememberDocument({ sha256 }: Artifact, document: object): void {
  last = { sha256, document: new WeakRef(document) };
}

export function isDocument(mediaType: string): boolean {
  return Object.hasOwn(READERS, mediaType);
}
