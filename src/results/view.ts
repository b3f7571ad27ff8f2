import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ContentPart } from '../contract/content.ts';
import { Fault } from '../contract/errors.ts';
import { isJsonObject } from '../contract/json.ts';
import { plainText } from '../contract/plain-text.ts';
import type { Artifact, ArtifactStore } from '../contract/ports/artifacts.ts';
import { isHandle } from './artifact.ts';
import { documentIn } from './document.ts';
import { isText } from './media-type.ts';
import { redact } from './redaction/redact.ts';
import type { RuleSet } from './redaction/rule-set.ts';
import { bytes } from './selectors/bytes.ts';
import { grep } from './selectors/grep.ts';
import { head } from './selectors/head.ts';
import { jsonKeys } from './selectors/json-keys.ts';
import { jsonPath } from './selectors/json-path.ts';
import { lines } from './selectors/lines.ts';
import { viewFault } from './selectors/parameters.ts';
import { rows } from './selectors/rows.ts';
import { schema } from './selectors/schema.ts';
import type { Selection, Selector } from './selectors/selector.ts';
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

export type View =
  | { readonly kind: 'text'; readonly mediaType: string; readonly selection: Selection }
  | { readonly kind: 'binary'; readonly mediaType: string; readonly part: ContentPart };

export interface ViewRequest {
  readonly owner: string;
  readonly handle: unknown;
  readonly selector: unknown;
  readonly secrets: RuleSet;
}

/** A part of an artifact. Another owner's handle is answered, word for word, like one that never was. */
export async function viewArtifact(store: ArtifactStore, request: ViewRequest): Promise<View> {
  const { owner, handle, selector, secrets } = request;
  if (typeof handle !== 'string') throw viewFault('"handle" must be text, as a result named it.');
  const [name, parameters] = selectorIn(selector);
  const artifact = isHandle(handle) ? await store.get(owner, handle) : undefined;
  if (!artifact)
    throw new Fault('TOOL_NOT_FOUND', 'No such artifact: it never was, or it expired.', { variant: 'view' });
  const { mediaType } = artifact;
  if (name === 'head' && !isText(mediaType)) return { kind: 'binary', mediaType, part: binaryPart(artifact) };
  // Parsing and walking megabytes both take their time: others get a turn in between.
  if (READ_DOCUMENTS.has(name) && documentIn(artifact)) await nextTurn();
  const selection = SELECTORS[name]!.select(artifact, parameters);
  // What is kept has no secrets in it; what counts as one may have changed since.
  const text = redact(plainText(selection.text), secrets).text;
  return { kind: 'text', mediaType, selection: { ...selection, text } };
}

function selectorIn(selector: unknown): [name: string, parameters: Readonly<Record<string, unknown>>] {
  const asked = typeof selector === 'string' ? { [selector]: {} } : (selector ?? { head: {} });
  const [entry, ...more] = isJsonObject(asked) ? Object.entries(asked) : [];
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
