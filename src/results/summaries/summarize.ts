import { estimateLength } from '../../base/json/estimate-length.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { plainText } from '../../base/text/plain-text.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import { textOf } from '../artifacts/parts.ts';
import { rowsOfText } from '../describe/rows.ts';
import { looksLoggedAsJson } from '../detect/log-line.ts';
import { kindOfText, type TextKind } from '../detect/text-kind.ts';
import { sanitizeValue } from '../sanitize.ts';
import { lineCountOf } from '../selectors/line-count.ts';
import { summarizeBinary } from './binary.ts';
import { summarizeJson } from './json.ts';
import type { Summary } from './summary.ts';
import { summarizeTable } from './table.ts';
import { summarizeJsonLog, summarizeText } from './text.ts';

const CHARACTERS_PER_TOKEN = 4;
const MAX_ROUNDS = 6;

/** What a model reads in place of a result. */
export interface SummaryResult {
  readonly text: string;
  readonly facts: JsonObject;
}

interface SummaryOptions {
  readonly countTokens: CountTokens;
  readonly maxTokens: number;
  /** What the texts of the result are, where that is known. */
  readonly kinds?: ReadonlyMap<string, TextKind>;
}

/** Stands in for a result that is too long to show, in at most so many tokens. */
export function summarize(
  result: ToolResult,
  { countTokens, maxTokens, kinds = new Map() }: SummaryOptions,
): SummaryResult {
  const summary = summaryOf(result, (text) => kinds.get(text) ?? kindOfText(text));
  return { text: fitted(summary, countTokens, maxTokens), facts: sanitizeValue(summary.facts) as JsonObject };
}

/** Told in less and less room until it costs no more than it may. */
function fitted(summary: Summary, countTokens: CountTokens, maxTokens: number): string {
  let room = Math.floor(maxTokens * CHARACTERS_PER_TOKEN);
  let text = '';
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // Cleaned last: a document's own escapes become characters only when it is parsed.
    text = plainText(summary.text(room));
    const tokens = countTokens(text);
    if (tokens <= maxTokens) return text;
    room = Math.floor((0.95 * room * maxTokens) / tokens);
  }
  return cut(text, countTokens, maxTokens);
}

type KindOf = (text: string) => TextKind;

function summaryOf({ content, structured }: ToolResult, kindOf: KindOf): Summary {
  const texts = content.map(textOf).filter((text) => text !== undefined);
  const longest = texts.reduce((best, text) => (text.length > best.length ? text : best), '');
  if (structured !== undefined && saysMore(structured, longest, kindOf)) return summarizeJson(structured);
  if (longest === '') return summarizeBinary(content);
  const summary = summaryOfText(longest, kindOf(longest));
  if (content.length === 1) return summary;
  return {
    facts: { ...summary.facts, parts: content.length },
    text: (room) => `${content.length} parts, the longest: ${summary.text(room - 30)}`,
  };
}

/** A document as text is the better copy: long integers have all their digits there. */
function saysMore(structured: unknown, text: string, kindOf: KindOf): boolean {
  const extent = estimateLength(structured, text.length);
  return extent >= text.length / 2 && (extent > text.length || !kindOf(text).document);
}

function summaryOfText(text: string, { mediaType, document }: TextKind): Summary {
  if (Array.isArray(document) && mediaType === 'application/x-ndjson' && looksLoggedAsJson(document)) {
    return summarizeJsonLog(text, document);
  }
  if (document) return summarizeJson(document);
  const rows = mediaType === 'text/plain' ? undefined : rowsOfText(text, mediaType);
  // A document may have a table in it and be about something else.
  const isTable = rows && (mediaType !== 'text/markdown' || rows.length >= lineCountOf(text) / 2);
  return isTable ? summarizeTable(rows) : summarizeText(text);
}

/** For what cannot be said in any less. */
function cut(text: string, countTokens: CountTokens, maxTokens: number): string {
  let kept = text;
  for (let tokens = countTokens(kept); tokens > maxTokens; tokens = countTokens(kept)) {
    kept = kept.slice(0, Math.max(Math.floor((kept.length * maxTokens) / tokens) - 1, 0));
  }
  return kept.length === text.length ? text : `${kept.replace(/[\ud800-\udbff]$/, '')}…`;
}
