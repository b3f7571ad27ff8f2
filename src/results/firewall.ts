import { setImmediate as nextTurn } from 'node:timers/promises';
import { estimateLength } from '../base/json/estimate-length.ts';
import type { ResultView } from '../contract/call/outcome.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';
import type { ArtifactStore } from '../contract/ports/artifact-store.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import type { RuleSet } from '../redaction/rule-set.ts';
import { textOf } from './artifacts/parts.ts';
import { type StoredParts, storeParts } from './artifacts/store-parts.ts';
import { fits, inlineParts, isLong } from './fits-inline.ts';
import { sanitizeResult } from './sanitize.ts';
import { summarize } from './summaries/summarize.ts';

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

export interface FirewallResult {
  readonly view: ResultView;
  /** Set when the parts could not be kept. The view is then whole: a stored copy is never worth a lost result. */
  readonly unstored?: unknown;
}

/** Keeps a large answer out of the model's context: a summary and handles go in, the parts stay here. */
export async function applyFirewall(
  firewall: Firewall,
  owner: string,
  result: ToolResult,
): Promise<FirewallResult> {
  if (!isLong(firewall, result)) {
    const visible = sanitizeResult(result);
    if (fits(firewall, visible)) return { view: wholeOf(visible) };
  }
  let kept: StoredParts;
  try {
    kept = await storeParts(firewall, owner, result);
  } catch (cause) {
    return { view: wholeOf(sanitizeResult(result)), unstored: cause };
  }
  await nextTurn();
  const { refs: artifacts, kinds, note } = kept;
  const maxTokens = summaryBudget(firewall, result);
  const { text, facts } = summarize(result, { kinds, maxTokens, countTokens: firewall.countTokens });
  const summary = note === undefined ? text : `${text}\n${note}`;
  return { view: { kind: 'summary', summary, facts, artifacts, content: inlineParts(result.content) } };
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
  const characters = Math.max(texts, estimateLength(structured, limit));
  return Math.min(most, Math.max(MIN_SUMMARY_TOKENS, characters / CHARACTERS_PER_SUMMARY_TOKEN));
}

function wholeOf({ content, structured }: ToolResult): ResultView {
  return { kind: 'whole', content, ...(structured !== undefined && { structured }) };
}
