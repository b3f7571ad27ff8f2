import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArtifactRef } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import type { Artifact, ArtifactStore } from '../../contract/ports/artifact-store.ts';
import { findBulkText } from '../describe/bulk-text.ts';
import { detectTextKind, type TextKind } from '../detect/text-kind.ts';
import { makeArtifact, refTo } from './artifact.ts';
import { artifactsOf, hasManyTexts, type TextKinds, textOf } from './parts.ts';

/** Further handles are stored as a list, because each handle is a line in the model's context. */
const MAX_HANDLES = 16;

export interface StoredParts {
  readonly refs: readonly ArtifactRef[];
  /** Names the artifact that lists the remaining handles. */
  readonly note?: string;
  /** The kinds of the stored texts. */
  readonly kinds: TextKinds;
}

interface StoreOptions {
  readonly artifacts: ArtifactStore;
  readonly artifactTtlMs: number;
  readonly artifactQuotaBytes: number;
}

/** Stores everything in a result, or nothing. Each step may handle megabytes, so other work may run in between. */
export async function storeParts(
  options: StoreOptions,
  owner: string,
  result: ToolResult,
): Promise<StoredParts> {
  const kinds = await detectKinds(result);
  const artifacts = await makeArtifacts(result, kinds);
  const refs = artifacts.map(refTo);
  const others = refs
    .slice(MAX_HANDLES)
    .map(({ handle, mediaType, bytes }) => ({ handle, mediaType, bytes }));
  const list = others.length > 0 && makeArtifact('application/json', Buffer.from(JSON.stringify(others)));
  await putAll(options, owner, list ? [...artifacts, list] : artifacts);
  if (!list) return { refs, kinds };
  const note = `${list.handle} lists the handles of ${others.length} more parts.`;
  return { refs: [...refs.slice(0, MAX_HANDLES), refTo(list)], note, kinds };
}

/** A result over the quota would evict its own first parts, whose handles are about to be returned. */
async function putAll(options: StoreOptions, owner: string, artifacts: readonly Artifact[]): Promise<void> {
  const { artifacts: store, artifactQuotaBytes: quotaBytes, artifactTtlMs: ttlMs } = options;
  const distinct = [...new Map(artifacts.map((artifact) => [artifact.handle, artifact])).values()];
  const size = distinct.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  if (size > quotaBytes)
    throw new Error(`Result of ${size} bytes exceeds the artifact quota of ${quotaBytes} bytes.`);
  for (const artifact of distinct) {
    await store.put(owner, artifact, { ttlMs, quotaBytes });
    await nextTurn();
  }
}

async function detectKinds({ content, structured }: ToolResult): Promise<TextKinds> {
  const kinds = new Map<string, TextKind>();
  if (hasManyTexts(content)) return kinds;
  const detect = async (text: string | undefined): Promise<void> => {
    if (text === undefined || kinds.has(text)) return;
    kinds.set(text, detectTextKind(text));
    await nextTurn();
  };
  for (const text of content.map(textOf)) await detect(text);
  const documents = [...kinds.values()].map(({ document }) => document);
  for (const document of [...documents, structured]) await detect(findBulkText(document)?.text);
  return kinds;
}

async function makeArtifacts(result: ToolResult, kinds: TextKinds): Promise<Artifact[]> {
  const artifacts: Artifact[] = [];
  for (const artifact of artifactsOf(result, kinds)) {
    artifacts.push(artifact);
    await nextTurn();
  }
  return artifacts;
}
