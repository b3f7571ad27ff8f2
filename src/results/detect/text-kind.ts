import { MAX_PARSED_LENGTH, parseJson, parseJsonLines } from '../../base/json/parse.ts';
import { detectSeparator, hasHeader, isTable } from '../../base/text/csv-format.ts';
import { parseMarkdownTable } from '../../base/text/markdown-table.ts';
import { isLog, isLogLine } from './log-line.ts';

/** The kind of a text, detected from the text alone, because upstreams rarely name it. */
export interface TextKind {
  readonly mediaType: string;
  /** The parsed document, so that a large text is not parsed twice. */
  readonly document?: object;
}

/** Only a table near the start makes a text a table; one further down is a part of the text. */
const SAMPLE_LENGTH = 4_096;

export function detectTextKind(text: string): TextKind {
  if (text.length > MAX_PARSED_LENGTH) return { mediaType: 'text/plain' };
  // Tried first, because the first line is enough to reject it.
  const documents = parseJsonLines(text);
  if (documents) return { mediaType: 'application/x-ndjson', document: documents };
  const document = parseJson(text);
  if (document) return { mediaType: 'application/json', document };
  return { mediaType: detectTableType(text) ?? 'text/plain' };
}

function detectTableType(text: string): string | undefined {
  if (startsAsLog(text)) return undefined;
  if (isTable(text, '\t') && hasHeader(text, '\t')) return 'text/tab-separated-values';
  const separator = detectSeparator(text);
  if (isTable(text, separator) && hasHeader(text, separator)) return 'text/csv';
  return parseMarkdownTable(text.slice(0, SAMPLE_LENGTH)) ? 'text/markdown' : undefined;
}

/** A table may have times and levels in every row, but not in its header. */
function startsAsLog(text: string): boolean {
  const lines = text.slice(0, SAMPLE_LENGTH).split('\n');
  return isLogLine(lines[0]!) && isLog(lines);
}

/** Whether a text is the table that an upstream claims. With a claim, no header is needed. */
export function isClaimedTable(mediaType: string, text: string): boolean {
  if (text.length > MAX_PARSED_LENGTH) return false;
  if (mediaType === 'text/csv') return isTable(text, detectSeparator(text));
  return mediaType === 'text/tab-separated-values' && isTable(text, '\t');
}
