import { parseJson, parseJsonLines } from '../../base/json/parse.ts';
import { decodeUtf8 } from '../../base/text/utf8.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';
import { LastParsed } from './last-parsed.ts';

const lastDocument = new LastParsed<object>();

const PARSERS: Readonly<Record<string, (text: string) => object | undefined>> = {
  'application/json': parseJson,
  'application/x-ndjson': parseJsonLines,
};

/** The JSON document in an artifact; undefined where it holds none. */
export function readDocument(artifact: Artifact): object | undefined {
  const { mediaType, bytes } = artifact;
  if (!isDocument(mediaType)) return undefined;
  const known = lastDocument.get(artifact);
  if (known) return known;
  // The media type of a blob comes from the upstream and may be wrong.
  const document = PARSERS[mediaType]!(decodeUtf8(bytes));
  if (document) rememberDocument(artifact, document);
  return document;
}

/** Saves the first view from parsing a document that was already parsed when it was stored. */
export function rememberDocument(artifact: Artifact, document: object): void {
  lastDocument.set(artifact, document);
}

export function isDocument(mediaType: string): boolean {
  return Object.hasOwn(PARSERS, mediaType);
}
