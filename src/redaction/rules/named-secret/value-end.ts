const ESCAPED = /[nrtu"'`\\/]/;
const DEEPEST_QUOTE = 7;
const QUOTE = /(?:[fbruRBFUN@]{1,2}(?=["'`]))?(?:(\\{0,8})(["'`])|&quot;|&#3[49];|%2[27])/y;

export interface Opening {
  /** Where the value starts. */
  readonly start: number;
  readonly quote: string;
  /** Backslashes before the quote: as many levels as the text was written into another. */
  readonly backslashes: number;
}

/** The quote with which a value opens, if it does. */
export function openingAt(text: string, at: number): Opening | undefined {
  QUOTE.lastIndex = at;
  const match = QUOTE.exec(text);
  const backslashes = match?.[1]?.length ?? 0;
  if (!match || backslashes > DEEPEST_QUOTE) return undefined;
  return { start: QUOTE.lastIndex, quote: match[2] ?? match[0], backslashes };
}

/**
 * Where a quoted value ends: at its own quote, and at the end of the line where that never comes. A later opening of the
 * same form would close an earlier one, so a text is read at most once for each form.
 */
export function endOfQuoted(text: string, opening: Opening): number {
  const { start, quote, backslashes } = opening;
  let read = start;
  for (let at = text.indexOf(quote, start); ; at = text.indexOf(quote, at + 1)) {
    const next = at === -1 ? text.length : at;
    const newline = text.slice(read, next).indexOf('\n');
    if (newline !== -1) return read + newline;
    if (at === -1) return next;
    const run = backslashesBefore(text, at, start);
    if (quote.length > 1 || run <= backslashes || (backslashes === 0 && run % 2 === 0)) {
      return at - Math.min(run, backslashes);
    }
    read = at;
  }
}

function backslashesBefore(text: string, at: number, start: number): number {
  let run = 0;
  while (at - run > start && text[at - run - 1] === '\\') run++;
  return run;
}

// In steps: where a value is refused, all later ones in the same run are read again up to the limit.
const RUN = /[^\s"'`&,;<>(){}[\]|\\]{1,128}/y;
const LINE_RUN = /[^\s"'`\\]{1,128}/y;
const STRING_RUN = /[^;"'`\n\\]{1,128}/y;
/** How far a bare value may reach: a word of a text, up to a space, up to the next `;`. */
export type Reach = 'word' | 'line' | 'member';
const RUNS: Readonly<Record<Reach, RegExp>> = { word: RUN, line: LINE_RUN, member: STRING_RUN };

// `&` and the like stand in passwords too; before a further name, a space or an end they part, and `&lt;` is no part.
const PARTING = /&#?\w{2,8};|[&,;](?:amp;)?(?=[\s"'`\\]|$|[\w.[\]%-]{1,64}[=:])/y;

/** Where a bare value ends; reading stops after about `limit` characters. */
export function endOfBare(text: string, start: number, reach: Reach, limit: number): number {
  const run = RUNS[reach];
  let end = start;
  while (end < text.length && end - start < limit) {
    run.lastIndex = end;
    if (run.test(text)) end = run.lastIndex;
    else if (goesOn(text, end, reach)) end++;
    else break;
  }
  return trimmedEnd(text, start, end, reach);
}

function goesOn(text: string, at: number, reach: Reach): boolean {
  const unit = text[at];
  if (unit === '\\') return !ESCAPED.test(text[at + 1] ?? 'n');
  if (reach !== 'word' || (unit !== '&' && unit !== ',' && unit !== ';')) return false;
  PARTING.lastIndex = at;
  return !PARTING.test(text);
}

function trimmedEnd(text: string, start: number, end: number, reach: Reach): number {
  const trailing = reach === 'word' ? /[.:]+$/ : reach === 'line' ? /[,;]+$/ : /\s+$/;
  const tail = text.slice(Math.max(start, end - 8), end);
  return end - (trailing.exec(tail)?.[0].length ?? 0);
}
