import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ContentPart, ToolResult } from '../contract/content.ts';
import type { ArtifactRef, ResultView } from '../contract/outcome.ts';
import type { ArtifactStore } from '../contract/ports/artifacts.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import { refTo } from './artifact.ts';
import { extentOf } from './extent.ts';
import { artifactsOf, isShortLink, MAX_PARTS, textOf } from './parts.ts';
import type { RuleSet } from './redaction/rule-set.ts';
import { summarize } from './summaries/summarize.ts';
import { visiblePart, visibleResult } from './visible.ts';

export interface Firewall {
  readonly artifacts: ArtifactStore;
  readonly countTokens: CountTokens;
  /** Up to here a result passes as it is. */
  readonly thresholdTokens: number;
  readonly artifactTtlMs: number;
  readonly artifactQuotaBytes: number;
  /** What is a secret, on every way out. */
  readonly secrets: RuleSet;
}

export interface Shielded {
  readonly view: ResultView;
  /** Set when the parts could not be kept. The view is then whole: a stored copy is never worth a lost result. */
  readonly unstored?: unknown;
}

/** Keeps a large answer out of the model's context: a summary and handles go in, the parts stay here. */
export async function shield(firewall: Firewall, owner: string, result: ToolResult): Promise<Shielded> {
  if (!isLong(firewall, result)) {
    const visible = visibleResult(result);
    if (fits(firewall, visible)) return { view: wholeOf(visible) };
  }
  let artifacts: readonly ArtifactRef[];
  try {
    artifacts = await keep(firewall, owner, result);
  } catch (cause) {
    return { view: wholeOf(visibleResult(result)), unstored: cause };
  }
  await nextTurn();
  const { text, facts } = summarize(result, firewall.countTokens, summaryBudget(firewall, result));
  return { view: { kind: 'summary', summary: text, facts, artifacts, content: inlineParts(result.content) } };
}

const CHARACTERS_PER_SUMMARY_TOKEN = 100;
const MIN_SUMMARY_TOKENS = 150;

/**
 * A token for every hundred characters, which is three or four in a hundred: with the lines that name the artifacts, a
 * long result still costs a twentieth of itself. Never more than half of what would have passed as it is.
 */
function summaryBudget({ thresholdTokens }: Firewall, { content, structured }: ToolResult): number {
  const most = thresholdTokens / 2;
  const limit = most * CHARACTERS_PER_SUMMARY_TOKEN;
  const texts = content.reduce((length, part) => length + (textOf(part)?.length ?? 0), 0);
  const characters = Math.max(texts, extentOf(structured, limit));
  return Math.min(most, Math.max(MIN_SUMMARY_TOKENS, characters / CHARACTERS_PER_SUMMARY_TOKEN));
}

/** Kept one by one, and others get a turn in between: encoding, digesting and storing megabytes takes its time. */
async function keep(firewall: Firewall, owner: string, result: ToolResult): Promise<ArtifactRef[]> {
  const options = { ttlMs: firewall.artifactTtlMs, quotaBytes: firewall.artifactQuotaBytes };
  const kept: ArtifactRef[] = [];
  for (const artifact of artifactsOf(result)) {
    await nextTurn();
    await firewall.artifacts.put(owner, artifact, options);
    kept.push(refTo(artifact));
    await nextTurn();
  }
  return kept;
}

function wholeOf({ content, structured }: ToolResult): ResultView {
  return { kind: 'whole', content, ...(structured !== undefined && { structured }) };
}

const MAX_INLINE_BINARY = 1_048_576;
/** Text has about four characters a token; nothing that a model would read has as many as this. */
const MAX_CHARACTERS_PER_TOKEN = 64;

/** Whether a result is too long for sure, told without reading it. */
function isLong({ thresholdTokens }: Firewall, { content, structured }: ToolResult): boolean {
  const limit = thresholdTokens * MAX_CHARACTERS_PER_TOKEN;
  let length = 0;
  for (const part of content) {
    const text = textOf(part);
    if (text === undefined && !isInline(part)) return true;
    length += (text?.length ?? 0) + 1;
    if (length > limit) return true;
  }
  const pictures = content.filter(isInline);
  if (pictures.length > MAX_PARTS || binaryLength(pictures) > MAX_INLINE_BINARY) return true;
  return extentOf(structured, limit) > limit;
}

function fits({ countTokens, thresholdTokens }: Firewall, { content, structured }: ToolResult): boolean {
  const read = content.map((part) => textOf(part) ?? '').join('\n');
  const written = structured === undefined ? '' : JSON.stringify(structured);
  // A token is at least one byte, so short texts need no counting.
  return [read, written].every(
    (text) => Buffer.byteLength(text) <= thresholdTokens || countTokens(text) <= thresholdTokens,
  );
}

/** What stays beside a summary: parts that a model reads as such, and links, while they are few and small. */
function inlineParts(content: readonly ContentPart[]): ContentPart[] {
  if (content.length > MAX_PARTS) return [];
  const inline = content.filter((part) => isShortLink(part) || isInline(part));
  let length = 0;
  return inline
    .filter((part) => {
      length += binaryLength([part]);
      return length <= MAX_INLINE_BINARY;
    })
    .map(visiblePart);
}

function isInline(part: ContentPart): boolean {
  return part.type === 'image' || part.type === 'audio';
}

function binaryLength(content: readonly ContentPart[]): number {
  return content.reduce(
    (length, part) => length + (part.type === 'image' || part.type === 'audio' ? part.data.length : 0),
    0,
  );
}
