import { setImmediate as nextTurn } from 'node:timers/promises';
import { estimateLength } from '../base/json/estimate-length.ts';
import type { ResultView } from '../contract/call/outcome.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';
import type { ArtifactStore } from '../contract/ports/artifact-store.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import type { RuleSet } from '../redaction/rule-set.ts';
import { textOf } from './artifacts/parts.ts';
import { type StoredParts, storeParts } from './artifacts/store-parts.ts';
import { fitsInline, inlineParts, isTooLong } from './fits-inline.ts';
import { repeatsText } from './repeats-text.ts';
import { sanitizeResult } from './sanitize.ts';
import { summarize } from './summaries/summarize.ts';

export interface Firewall {
  readonly artifacts: ArtifactStore;
  readonly countTokens: CountTokens;
  /** A result of up to this many tokens passes unchanged. */
  readonly thresholdTokens: number;
  readonly artifactTtlMs: number;
  readonly artifactQuotaBytes: number;
  /** Rules for secrets, applied to everything that leaves the gateway. */
  readonly secrets: RuleSet;
}

export interface FirewallResult {
  readonly view: ResultView;
  /** Why the parts could not be stored. The view is then whole, because losing the result would be worse. */
  readonly storeError?: unknown;
}

/** Keeps a large result out of the model's context: the model gets a summary and handles, the parts are stored. */
export async function applyFirewall(
  firewall: Firewall,
  owner: string,
  result: ToolResult,
): Promise<FirewallResult> {
  if (!isTooLong(firewall, result)) {
    const sanitized = sanitizeResult(result);
    if (fitsInline(firewall, sanitized)) return { view: wholeView(sanitized) };
  }
  // Each step reads the whole result, which may have hundreds of thousands of members: other calls run in between.
  await nextTurn();
  const distinct = withoutCopy(result);
  await nextTurn();
  let stored: StoredParts;
  try {
    stored = await storeParts(firewall, owner, distinct);
  } catch (cause) {
    return { view: wholeView(sanitizeResult(result)), storeError: cause };
  }
  const { refs: artifacts, kinds, note } = stored;
  const maxTokens = summaryBudget(firewall, distinct);
  await nextTurn();
  const { text, facts } = summarize(distinct, { kinds, maxTokens, countTokens: firewall.countTokens });
  const summary = note === undefined ? text : `${text}\n${note}`;
  return { view: { kind: 'summary', summary, facts, artifacts, content: inlineParts(result.content) } };
}

/** One copy is enough to store and to summarize. The text is preferred: long integers have all their digits there. */
function withoutCopy(result: ToolResult): ToolResult {
  if (!repeatsText(result)) return result;
  const { structured: _, ...distinct } = result;
  return distinct;
}

const CHARACTERS_PER_SUMMARY_TOKEN = 100;
const MIN_SUMMARY_TOKENS = 150;

/**
 * One token per hundred characters is three or four percent of a result. With the lines that name the artifacts, a long
 * result costs a twentieth of itself, and never more than half of the threshold.
 */
function summaryBudget({ thresholdTokens }: Firewall, { content, structured }: ToolResult): number {
  const maxTokens = thresholdTokens / 2;
  const limit = maxTokens * CHARACTERS_PER_SUMMARY_TOKEN;
  const texts = content.reduce((length, part) => length + (textOf(part)?.length ?? 0), 0);
  const characters = Math.max(texts, estimateLength(structured, limit));
  return Math.min(maxTokens, Math.max(MIN_SUMMARY_TOKENS, characters / CHARACTERS_PER_SUMMARY_TOKEN));
}

function wholeView({ content, structured }: ToolResult): ResultView {
  return { kind: 'whole', content, ...(structured !== undefined && { structured }) };
}
