import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArtifactRef } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import type { Artifact, ArtifactStore } from '../../contract/ports/artifact-store.ts';
import { kindOfText, type TextKind } from '../detect/text-kind.ts';
import { makeArtifact, refTo } from './artifact.ts';
import { artifactsOf, type TextKinds, textOf } from './parts.ts';

/** More than this are told in a list of their own: a handle is a line in the model's context. */
const MAX_HANDLES = 16;

export interface StoredParts {
  readonly refs: readonly ArtifactRef[];
  /** Where the handles are that are not among these. */
  readonly note?: string;
  /** What the texts are that were kept. */
  readonly kinds: TextKinds;
}

interface Keeping {
  readonly artifacts: ArtifactStore;
  readonly artifactTtlMs: number;
  readonly artifactQuotaBytes: number;
}

/** Everything that a result holds, or nothing. Others get a turn after each step: there may be megabytes in each. */
export async function storeParts(keeping: Keeping, owner: string, result: ToolResult): Promise<StoredParts> {
  const kinds = await kindsIn(result);
  const made = await madeOf(result, kinds);
  const refs = made.map(refTo);
  const others = refs
    .slice(MAX_HANDLES)
    .map(({ handle, mediaType, bytes }) => ({ handle, mediaType, bytes }));
  const list = others.length > 0 && makeArtifact('application/json', Buffer.from(JSON.stringify(others)));
  await putAll(keeping, owner, list ? [...made, list] : made);
  if (!list) return { refs, kinds };
  const note = `${list.handle} lists the handles of ${others.length} more parts.`;
  return { refs: [...refs.slice(0, MAX_HANDLES), refTo(list)], note, kinds };
}

/** What does not fit the quota as a whole would push its own first parts out, whose handles are about to be given. */
async function putAll(keeping: Keeping, owner: string, artifacts: readonly Artifact[]): Promise<void> {
  const { artifacts: store, artifactQuotaBytes: quotaBytes, artifactTtlMs: ttlMs } = keeping;
  const distinct = [...new Map(artifacts.map((artifact) => [artifact.handle, artifact])).values()];
  const size = distinct.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  if (size > quotaBytes) throw new Error(`A result of ${size} bytes is over the quota of ${quotaBytes}.`);
  for (const artifact of distinct) {
    await store.put(owner, artifact, { ttlMs, quotaBytes });
    await nextTurn();
  }
}

/** Telling what a text is may mean to parse it. */
async function kindsIn({ content }: ToolResult): Promise<TextKinds> {
  const kinds = new Map<string, TextKind>();
  for (const text of content.map(textOf)) {
    if (text === undefined || kinds.has(text)) continue;
    kinds.set(text, kindOfText(text));
    await nextTurn();
  }
  return kinds;
}

async function madeOf(result: ToolResult, kinds: TextKinds): Promise<Artifact[]> {
  const made: Artifact[] = [];
  for (const artifact of artifactsOf(result, kinds)) {
    made.push(artifact);
    await nextTurn();
  }
  return made;
}
