import { estimateLength } from '../../base/json/estimate-length.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { plainValue } from '../../base/json/plain-value.ts';
import { plainText } from '../../base/text/plain-text.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import { textOf } from '../artifacts/parts.ts';
import { findBulkText } from '../describe/bulk-text.ts';
import { rowsOfText } from '../describe/rows.ts';
import { isJsonLog } from '../detect/log-line.ts';
import { detectTextKind, type TextKind } from '../detect/text-kind.ts';
import { countLines } from '../selectors/count-lines.ts';
import { summarizeBinary } from './binary.ts';
import { shortMembers, summarizeJson } from './json.ts';
import { cutLine } from './line-budget.ts';
import type { Summary } from './summary.ts';
import { summarizeTable } from './table.ts';
import { summarizeJsonLog, summarizeText } from './text.ts';

const CHARACTERS_PER_TOKEN = 4;
const MAX_ROUNDS = 6;
const MAX_TITLE_LENGTH = 300;
const MAX_POINTER_LENGTH = 200;

/** What a model reads in place of a result. */
export interface SummaryResult {
  readonly text: string;
  readonly facts: JsonObject;
}

interface SummaryOptions {
  readonly countTokens: CountTokens;
  readonly maxTokens: number;
  /** The kinds of the result's texts that are already known. */
  readonly kinds?: ReadonlyMap<string, TextKind>;
}

/** Summarizes a result that is too long to show, in at most `maxTokens` tokens. */
export function summarize(
  result: ToolResult,
  { countTokens, maxTokens, kinds = new Map() }: SummaryOptions,
): SummaryResult {
  const summary = summaryOf(result, (text) => kinds.get(text) ?? detectTextKind(text));
  return {
    text: fitText(summary, countTokens, maxTokens),
    facts: plainValue(summary.facts),
  };
}

/** Shortens the text until it is within the token limit. */
function fitText(summary: Summary, countTokens: CountTokens, maxTokens: number): string {
  let maxLength = Math.floor(maxTokens * CHARACTERS_PER_TOKEN);
  let text = '';
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // Sanitized last, because the escapes of a document become characters only when it is parsed.
    text = plainText(summary.text(maxLength));
    const tokens = countTokens(text);
    if (tokens <= maxTokens) return text;
    maxLength = Math.floor((0.95 * maxLength * maxTokens) / tokens);
  }
  return cutText(text, countTokens, maxTokens);
}

type KindOf = (text: string) => TextKind;

function summaryOf({ content, structured }: ToolResult, kindOf: KindOf): Summary {
  const texts = content.map(textOf).filter((text) => text !== undefined);
  const longest = texts.reduce((best, text) => (text.length > best.length ? text : best), '');
  if (structured !== undefined && (longest === '' || isBetterSource(structured, longest, kindOf)))
    return summaryOfDocument(structured, kindOf);
  if (longest === '') return summarizeBinary(content);
  const summary = summaryOfText(longest, kindOf);
  if (content.length === 1) return summary;
  return {
    facts: { ...summary.facts, parts: content.length },
    text: (maxLength) => `${content.length} parts, the longest: ${summary.text(maxLength - 30)}`,
  };
}

/** Prefers a document in text form over structured content, because long integers have all their digits there. */
function isBetterSource(structured: unknown, text: string, kindOf: KindOf): boolean {
  const length = estimateLength(structured, text.length);
  return length >= text.length / 2 && (length > text.length || !kindOf(text).document);
}

function summaryOfText(text: string, kindOf: KindOf): Summary {
  const { mediaType, document } = kindOf(text);
  if (Array.isArray(document) && mediaType === 'application/x-ndjson' && isJsonLog(document)) {
    return summarizeJsonLog(text, document);
  }
  if (document) return summaryOfDocument(document, kindOf);
  const rows = mediaType === 'text/plain' ? undefined : rowsOfText(text, mediaType);
  // A Markdown text may contain a table and be about something else.
  const isTable = rows && (mediaType !== 'text/markdown' || rows.length >= countLines(text) / 2);
  return isTable ? summarizeTable(rows) : summarizeText(text);
}

/** A document that is mostly one text is summarized as this text, by its own kind. */
function summaryOfDocument(document: unknown, kindOf: KindOf): Summary {
  const bulk = findBulkText(document);
  if (!bulk) return summarizeJson(document);
  const summary = summaryOfText(bulk.text, kindOf);
  const members = isJsonObject(document) ? shortMembers(document, Object.keys(document)) : {};
  const at = cutLine(bulk.at, MAX_POINTER_LENGTH);
  const shown =
    Object.keys(members).length > 0 ? ` ${cutLine(JSON.stringify(members), MAX_TITLE_LENGTH)}` : '';
  const title = `JSON${shown} with one long text, at ${at}:`;
  return {
    facts: { ...members, ...summary.facts, text_at: at },
    text: (maxLength) => `${title}\n${summary.text(maxLength - title.length - 1)}`,
  };
}

/** Cuts a text that no summary made short enough. */
function cutText(text: string, countTokens: CountTokens, maxTokens: number): string {
  let start = text;
  for (let tokens = countTokens(start); tokens > maxTokens; tokens = countTokens(start)) {
    start = start.slice(0, Math.max(Math.floor((start.length * maxTokens) / tokens) - 1, 0));
  }
  return start.length === text.length ? text : `${start.replace(/[\ud800-\udbff]$/, '')}…`;
}
