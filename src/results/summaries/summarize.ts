import type { ToolResult } from '../../contract/content.ts';
import type { JsonObject } from '../../contract/json.ts';
import { plainText } from '../../contract/plain-text.ts';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import { extentOf } from '../extent.ts';
import { lineCountOf } from '../line-count.ts';
import { mediaTypeOfText } from '../media-type.ts';
import { textOf } from '../parts.ts';
import { rowsOfText } from '../rows.ts';
import { visibleValue } from '../visible.ts';
import { summarizeBinary } from './binary.ts';
import { summarizeJson } from './json.ts';
import type { Summary } from './summary.ts';
import { summarizeTable } from './table.ts';
import { summarizeText } from './text.ts';

const CHARACTERS_PER_TOKEN = 4;
const MAX_ROUNDS = 6;

/** What a model reads in place of a result. */
export interface Told {
  readonly text: string;
  readonly facts: JsonObject;
}

/** Stands in for a result that is too long to show, in at most so many tokens. */
export function summarize(result: ToolResult, countTokens: CountTokens, maxTokens: number): Told {
  const summary = summaryOf(result);
  return { text: fitted(summary, countTokens, maxTokens), facts: visibleValue(summary.facts) as JsonObject };
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

function summaryOf({ content, structured }: ToolResult): Summary {
  const texts = content.map(textOf).filter((text) => text !== undefined);
  const longest = texts.reduce((best, text) => (text.length > best.length ? text : best), '');
  if (structured !== undefined && extentOf(structured, longest.length) >= longest.length / 2) {
    return summarizeJson(structured);
  }
  if (longest === '') return summarizeBinary(content);
  const summary = summaryOfText(longest);
  if (content.length === 1) return summary;
  return {
    facts: { ...summary.facts, parts: content.length },
    text: (room) => `${content.length} parts, the longest: ${summary.text(room - 30)}`,
  };
}

function summaryOfText(text: string): Summary {
  const mediaType = mediaTypeOfText(text);
  if (mediaType === 'application/json') return summarizeJson(JSON.parse(text));
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
