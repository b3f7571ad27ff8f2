import { canonicalJson } from '../contract/canonical-json.ts';
import type { ContentPart, ToolResult } from '../contract/content.ts';
import type { ResultView } from '../contract/outcome.ts';
import { plainText } from '../contract/plain-text.ts';
import type { Artifact, ArtifactStore } from '../contract/ports/artifacts.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import { makeArtifact, refTo } from './artifact.ts';
import { mediaTypeOfText } from './media-type.ts';
import { summarizeJson } from './summaries/json.ts';
import type { Summary } from './summaries/summary.ts';
import { summarizeText } from './summaries/text.ts';
import { visibleResult } from './visible.ts';

export interface Firewall {
  readonly artifacts: ArtifactStore;
  readonly countTokens: CountTokens;
  /** Up to here a result passes as it is. */
  readonly thresholdTokens: number;
  readonly artifactTtlMs: number;
  readonly artifactQuotaBytes: number;
}

const MAX_INLINE_BINARY = 1_048_576;
const MAX_SUMMARY_LENGTH = 2_400;

export interface Shielded {
  readonly view: ResultView;
  /** Set when the parts could not be kept. The view is then whole: a stored copy is never worth a lost result. */
  readonly unstored?: unknown;
}

/** Keeps a large answer out of the model's context: a summary and handles go in, the parts stay here. */
export async function shield(firewall: Firewall, owner: string, result: ToolResult): Promise<Shielded> {
  const visible = visibleResult(result);
  const whole: ResultView = {
    kind: 'whole',
    content: visible.content,
    ...(visible.structured !== undefined && { structured: visible.structured }),
  };
  if (fits(firewall, visible)) return { view: whole };

  const artifacts = artifactsOf(result);
  const options = { ttlMs: firewall.artifactTtlMs, quotaBytes: firewall.artifactQuotaBytes };
  try {
    for (const artifact of artifacts) await firewall.artifacts.put(owner, artifact, options);
  } catch (cause) {
    return { view: whole, unstored: cause };
  }
  const { text, facts } = summarize(visible);
  const summary = text.length <= MAX_SUMMARY_LENGTH ? text : `${text.slice(0, MAX_SUMMARY_LENGTH)}…`;
  const content = visible.content.filter((part) => isInlineBinary(part));
  return { view: { kind: 'summary', summary, facts, artifacts: artifacts.map(refTo), content } };
}

function fits({ countTokens, thresholdTokens }: Firewall, result: ToolResult): boolean {
  if (!result.content.every((part) => textOf(part) !== undefined || isInlineBinary(part))) return false;
  const read = result.content.map((part) => textOf(part) ?? '').join('\n');
  const structured = result.structured === undefined ? '' : JSON.stringify(result.structured);
  return [read, structured].every((text) => {
    // A token is at least one byte, so short texts need no counting; far beyond the usual four, nobody needs to count.
    const bytes = Buffer.byteLength(text);
    return (
      bytes <= thresholdTokens || (bytes <= thresholdTokens * 64 && countTokens(text) <= thresholdTokens)
    );
  });
}

function textOf(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text;
  if (part.type === 'resource') return part.resource.text;
  return part.type === 'resource_link' ? part.uri : undefined;
}

function isInlineBinary(part: ContentPart): boolean {
  return (part.type === 'image' || part.type === 'audio') && part.data.length <= MAX_INLINE_BINARY;
}

function artifactsOf(result: ToolResult): Artifact[] {
  const artifacts = result.content.map(artifactOf).filter((artifact) => artifact !== undefined);
  if (result.structured !== undefined && !result.content.some((part) => says(part, result.structured))) {
    artifacts.push(makeArtifact('application/json', Buffer.from(JSON.stringify(result.structured))));
  }
  return artifacts;
}

function artifactOf(part: ContentPart): Artifact | undefined {
  switch (part.type) {
    case 'text':
      return makeArtifact(mediaTypeOfText(part.text), Buffer.from(part.text));
    case 'image':
    case 'audio':
      return makeArtifact(part.mimeType, Buffer.from(part.data, 'base64'));
    case 'resource': {
      const { text, blob, mimeType } = part.resource;
      if (text !== undefined) return makeArtifact(mimeType ?? mediaTypeOfText(text), Buffer.from(text));
      return makeArtifact(mimeType ?? 'application/octet-stream', Buffer.from(blob ?? '', 'base64'));
    }
    case 'resource_link':
      return undefined;
  }
}

/** Most servers send structured content as text too; one copy is enough. */
function says(part: ContentPart, structured: unknown): boolean {
  if (part.type !== 'text') return false;
  try {
    return canonicalJson(JSON.parse(part.text)) === canonicalJson(structured);
  } catch {
    return false;
  }
}

function summarize(result: ToolResult): Summary {
  if (result.structured !== undefined) return summarizeJson(result.structured);
  const texts = result.content.map(textOf).filter((text) => text !== undefined);
  const longest = texts.toSorted((a, b) => b.length - a.length)[0];
  if (longest === undefined)
    return { text: `${result.content.length} binary parts`, facts: { format: 'binary' } };
  return mediaTypeOfText(longest) === 'application/json'
    ? summarizeJson(JSON.parse(longest))
    : summarizeText(plainText(longest));
}
