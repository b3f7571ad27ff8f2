import type { TextRange } from '../../../base/text/range.ts';

const ESCAPED = /[nrtu"'`\\/]/;
const MAX_BACKSLASHES = 7;
const QUOTE = /(?:[fbruRBFUN@]{1,2}(?=\\{0,8}["'`]))?(?:(\\{0,8})(["'`])|&quot;|&#3[49];|%2[27])/y;

export interface OpeningQuote {
  /** Index of the value after the quote. */
  readonly start: number;
  readonly quote: string;
  /** Backslashes before the quote; they grow with the number of times that the text was escaped. */
  readonly backslashes: number;
}

/** Reads the quote that opens a value. */
export function readOpeningQuote(text: string, at: number): OpeningQuote | undefined {
  QUOTE.lastIndex = at;
  const match = QUOTE.exec(text);
  const backslashes = match?.[1]?.length ?? 0;
  if (!match || backslashes > MAX_BACKSLASHES) return undefined;
  return { start: QUOTE.lastIndex, quote: match[2] ?? match[0], backslashes };
}

/**
 * Finds the closing quote of a value, or the end of its line where it is not closed. A later opening quote of the same
 * form closes an earlier one, so a text is read at most once for each form.
 */
export function findQuotedEnd(text: string, opening: OpeningQuote): number {
  const { start, quote, backslashes } = opening;
  let read = start;
  for (let at = text.indexOf(quote, start); ; at = text.indexOf(quote, at + 1)) {
    const next = at === -1 ? text.length : at;
    const newline = text.slice(read, next).indexOf('\n');
    if (newline !== -1) return read + newline;
    if (at === -1) return next;
    const run = countBackslashesBefore(text, at, start);
    if (quote.length > 1 || run <= backslashes || (backslashes === 0 && run % 2 === 0)) {
      return at - Math.min(run, backslashes);
    }
    read = at;
  }
}

function countBackslashesBefore(text: string, at: number, start: number): number {
  let run = 0;
  while (at - run > start && text[at - run - 1] === '\\') run++;
  return run;
}

// Runs are bounded: where a value is rejected, later values of the same run are read again up to the limit.
const RUN = /[^\s"'`&,;<>(){}[\]|\\]{1,128}/y;
const LINE_RUN = /[^\s"'`\\]{1,128}/y;
const STRING_RUN = /[^;"'`\n\\]{1,128}/y;
/** How far an unquoted value may reach: to the end of a word, to the next space, to the next `;`. */
export type Reach = 'word' | 'line' | 'member';
const RUNS: Readonly<Record<Reach, RegExp>> = { word: RUN, line: LINE_RUN, member: STRING_RUN };

// `&`, `,` and `;` are possible in passwords. They separate values before another name, a space or the end; so does `&lt;`.
const SEPARATOR = /&#?\w{2,8};|[&,;](?:amp;)?(?=[\s"'`\\]|$|[\w.[\]%-]{1,64}[=:])/y;

export interface BareLimits {
  readonly reach: Reach;
  /** Reading stops after about this many characters. */
  readonly limit: number;
}

/** Finds the end of an unquoted value. */
export function findBareEnd(text: string, start: number, { reach, limit }: BareLimits): number {
  const run = RUNS[reach];
  let end = start;
  while (end < text.length && end - start < limit) {
    run.lastIndex = end;
    if (run.test(text)) end = run.lastIndex;
    else if (isPartOfValue(text, end, reach)) end++;
    else break;
  }
  return trimEnd(text, { start, end }, reach);
}

function isPartOfValue(text: string, at: number, reach: Reach): boolean {
  const unit = text[at];
  if (unit === '\\') return !ESCAPED.test(text[at + 1] ?? 'n');
  if (reach !== 'word' || (unit !== '&' && unit !== ',' && unit !== ';')) return false;
  SEPARATOR.lastIndex = at;
  return !SEPARATOR.test(text);
}

function trimEnd(text: string, { start, end }: TextRange, reach: Reach): number {
  const trailing = reach === 'word' ? /[.:]+$/ : reach === 'line' ? /[,;]+$/ : /\s+$/;
  const tail = text.slice(Math.max(start, end - 8), end);
  return end - (trailing.exec(tail)?.[0].length ?? 0);
}
