import { MAX_PARSED_LENGTH, parseJson, parseJsonLines } from '../../base/json/parse.ts';
import { detectSeparator, hasHeader, isTable } from '../../base/text/csv-format.ts';
import { parseMarkdownTable } from '../../base/text/markdown-table.ts';
import { isLogged, looksLogged } from './log-line.ts';

/** What a text is, told from the text alone: upstreams rarely say. */
export interface TextKind {
  readonly mediaType: string;
  /** What had to be parsed to tell. Large ones take their time, so nobody should parse them again. */
  readonly document?: object;
}

/** A table that a text begins with is a table; one far below is a part of it. */
const MAX_LOOKED_AT = 4_096;

export function kindOfText(text: string): TextKind {
  if (text.length > MAX_PARSED_LENGTH) return { mediaType: 'text/plain' };
  // Asked first, as the first line says no.
  const documents = parseJsonLines(text);
  if (documents) return { mediaType: 'application/x-ndjson', document: documents };
  const document = parseJson(text);
  if (document) return { mediaType: 'application/json', document };
  return { mediaType: tableTypeOf(text) ?? 'text/plain' };
}

function tableTypeOf(text: string): string | undefined {
  if (beginsLogged(text)) return undefined;
  if (isTable(text, '\t') && hasHeader(text, '\t')) return 'text/tab-separated-values';
  const separator = detectSeparator(text);
  if (isTable(text, separator) && hasHeader(text, separator)) return 'text/csv';
  return parseMarkdownTable(text.slice(0, MAX_LOOKED_AT)) ? 'text/markdown' : undefined;
}

/** A table may have times and levels in every row; its header has none. */
function beginsLogged(text: string): boolean {
  const lines = text.slice(0, MAX_LOOKED_AT).split('\n');
  return isLogged(lines[0]!) && looksLogged(lines);
}

/** Whether a text can be read as the table that somebody says it is: their word needs no header to be true. */
export function isTableAs(mediaType: string, text: string): boolean {
  if (text.length > MAX_PARSED_LENGTH) return false;
  if (mediaType === 'text/csv') return isTable(text, detectSeparator(text));
  return mediaType === 'text/tab-separated-values' && isTable(text, '\t');
}
