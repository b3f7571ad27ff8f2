import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject } from '../base/json/json.ts';
import { isText } from '../base/text/media-type.ts';
import { plainText } from '../base/text/plain-text.ts';
import type { ContentPart } from '../contract/call/tool-result.ts';
import type { Selection, View } from '../contract/call/view.ts';
import { Fault } from '../contract/errors/fault.ts';
import type { Artifact, ArtifactStore } from '../contract/ports/artifact-store.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import { redact } from '../redaction/redact.ts';
import type { RuleSet } from '../redaction/rule-set.ts';
import { isHandle } from './artifacts/artifact.ts';
import { readDocument } from './artifacts/document.ts';
import { bytes } from './selectors/bytes.ts';
import { grep } from './selectors/grep.ts';
import { head } from './selectors/head.ts';
import { jsonKeys } from './selectors/json-keys.ts';
import { jsonPath } from './selectors/json-path.ts';
import { lines } from './selectors/lines.ts';
import { viewFault } from './selectors/parameters.ts';
import { rows } from './selectors/rows.ts';
import { schema } from './selectors/schema.ts';
import { MAX_VIEW_LENGTH, type Parameters, type Selector } from './selectors/selector.ts';
import { tail } from './selectors/tail.ts';

export const SELECTORS: Readonly<Record<string, Selector>> = {
  head,
  tail,
  lines,
  bytes,
  grep,
  json_keys: jsonKeys,
  jsonpath: jsonPath,
  rows,
  schema,
};

const READ_DOCUMENTS = new Set(['json_keys', 'jsonpath', 'rows', 'schema']);

export interface ViewRequest {
  readonly owner: string;
  readonly handle: unknown;
  readonly selector: unknown;
  readonly secrets: RuleSet;
  readonly countTokens: CountTokens;
}

/** Returns a part of an artifact. Another owner's handle gets exactly the answer of an unknown handle. */
export async function viewArtifact(store: ArtifactStore, request: ViewRequest): Promise<View> {
  const { owner, handle, selector } = request;
  if (typeof handle !== 'string') throw viewFault('"handle" must be a string from a result.');
  const [name, parameters] = parseSelector(selector);
  const artifact = isHandle(handle) ? await store.get(owner, handle) : undefined;
  if (!artifact)
    throw new Fault('TOOL_NOT_FOUND', 'No such artifact: the handle is unknown or expired.', {
      variant: 'view',
    });
  const { mediaType } = artifact;
  if (name === 'head' && !isText(mediaType)) return viewBytes(artifact);
  // Parsing and walking megabytes both block the event loop, so other work may run in between.
  if (READ_DOCUMENTS.has(name) && readDocument(artifact)) await nextTurn();
  const select = (maxLength: number) => SELECTORS[name]!.select(artifact, parameters, maxLength);
  return { kind: 'text', mediaType, selection: await fitSelection(select, request) };
}

/** A view must not fill the context that the firewall protects. */
const MAX_VIEW_TOKENS = 2_000;
/** A text of this length always fits: a token has at least one byte, and a UTF-16 unit at most three. */
const SAFE_LENGTH = Math.floor(MAX_VIEW_TOKENS / 3);
const MAX_ROUNDS = 5;

/** Shortens a page until it is within the token limit. */
async function fitSelection(
  select: (maxLength: number) => Selection,
  { secrets, countTokens }: ViewRequest,
): Promise<Selection> {
  let maxLength = MAX_VIEW_LENGTH;
  for (let round = 1; ; round++) {
    const selection = select(maxLength);
    // Artifacts were redacted by the rules of their time, and hidden characters may have split a secret.
    const text = redact(plainText(selection.text), secrets).text;
    const tokens = text.length <= SAFE_LENGTH ? 0 : countTokens(text);
    if (tokens <= MAX_VIEW_TOKENS || maxLength === SAFE_LENGTH) return { ...selection, text };
    const smaller = Math.floor((0.95 * Math.min(maxLength, text.length) * MAX_VIEW_TOKENS) / tokens);
    maxLength = round < MAX_ROUNDS ? Math.max(smaller, SAFE_LENGTH) : SAFE_LENGTH;
    await nextTurn();
  }
}

/** Larger binaries are returned in pieces, because clients disconnect on a message of ten megabytes. */
const MAX_WHOLE_BYTES = 5 * 1_048_576;

function viewBytes(artifact: Artifact): View {
  const { mediaType, bytes } = artifact;
  const { byteLength } = bytes;
  if (byteLength <= MAX_WHOLE_BYTES) return { kind: 'binary', mediaType, part: binaryPart(artifact) };
  const text = `${mediaType}, too large to show whole`;
  return { kind: 'text', mediaType, selection: { text, totals: { bytes: byteLength }, next: { bytes: {} } } };
}

function parseSelector(selector: unknown): [name: string, parameters: Parameters] {
  const requested = typeof selector === 'string' ? { [selector]: {} } : (selector ?? { head: {} });
  const [entry, ...more] = isJsonObject(requested) ? Object.entries(requested) : [];
  const [name, parameters] = entry ?? [];
  const known = name !== undefined && Object.hasOwn(SELECTORS, name) ? SELECTORS[name] : undefined;
  if (!known || name === undefined || more.length > 0 || !isJsonObject(parameters)) {
    throw viewFault('"selector" must be one selector, such as {"lines":{"start":1,"end":40}}.', {
      selectors: Object.fromEntries(
        Object.entries(SELECTORS).map(([key, { parameters }]) => [key, parameters]),
      ),
    });
  }
  const unknown = Object.keys(parameters).find((key) => !known.parameters.includes(key));
  if (unknown !== undefined) throw viewFault(`"${name}" takes ${known.parameters.join(', ')}.`);
  return [name, parameters];
}

function binaryPart({ handle, mediaType, bytes }: Artifact): ContentPart {
  const data = Buffer.from(bytes).toString('base64');
  if (mediaType.startsWith('image/')) return { type: 'image', data, mimeType: mediaType };
  if (mediaType.startsWith('audio/')) return { type: 'audio', data, mimeType: mediaType };
  return {
    type: 'resource',
    resource: { uri: `toolgate://artifact/${handle}`, mimeType: mediaType, blob: data },
  };
}
