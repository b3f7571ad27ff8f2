import type { ToolResult } from '../../contract/content.ts';
import type { JsonObject } from '../../contract/json.ts';
import { plainText } from '../../contract/plain-text.ts';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import { extentOf } from '../extent.ts';
import { mediaTypeOfText } from '../media-type.ts';
import { textOf } from '../parts.ts';
import { rowsOfTable } from '../rows.ts';
import { visibleValue } from '../visible.ts';
import { summarizeJson } from './json.ts';
import type { Summary } from './summary.ts';
import { summarizeTable } from './table.ts';
import { summarizeText } from './text.ts';

const MAX_SUMMARY_LENGTH = 2_400;

/** Stands in for a result that is too long to show, in at most so many tokens. */
export function summarize(result: ToolResult, countTokens: CountTokens, maxTokens: number): Summary {
  const { text, facts } = summaryOf(result);
  // Cleaned last: a document's own escapes become characters only when it is parsed.
  const visible = plainText(text.slice(0, 2 * MAX_SUMMARY_LENGTH));
  return { text: cut(visible, countTokens, maxTokens), facts: visibleValue(facts) as JsonObject };
}

function summaryOf({ content, structured }: ToolResult): Summary {
  const texts = content.map(textOf).filter((text) => text !== undefined);
  const longest = texts.reduce((best, text) => (text.length > best.length ? text : best), '');
  if (structured !== undefined && extentOf(structured, longest.length) >= longest.length / 2) {
    return summarizeJson(structured);
  }
  if (longest === '') return { text: `${content.length} binary parts`, facts: { format: 'binary' } };
  const { text, facts } = summaryOfText(longest);
  if (content.length === 1) return { text, facts };
  return {
    text: `${content.length} parts, the longest: ${text}`,
    facts: { ...facts, parts: content.length },
  };
}

function summaryOfText(text: string): Summary {
  switch (mediaTypeOfText(text)) {
    case 'application/json':
      return summarizeJson(JSON.parse(text));
    case 'text/csv':
      return summarizeTable(rowsOfTable(text, ','));
    case 'text/tab-separated-values':
      return summarizeTable(rowsOfTable(text, '\t'));
    default:
      return summarizeText(text);
  }
}

function cut(text: string, countTokens: CountTokens, maxTokens: number): string {
  let kept = text.slice(0, MAX_SUMMARY_LENGTH);
  for (let tokens = countTokens(kept); tokens > maxTokens; tokens = countTokens(kept)) {
    kept = kept.slice(0, Math.max(Math.floor((kept.length * maxTokens) / tokens) - 1, 0));
  }
  return kept.length === text.length ? text : `${kept.replace(/[\ud800-\udbff]$/, '')}…`;
}
