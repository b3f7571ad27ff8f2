import type { Span } from '../rule.ts';

/** Mail programs and terminals wrap lines at 64 to 100 characters. */
const MIN_LINE_LENGTH = 56;
const MAX_LINE_LENGTH = 200;
const MIN_TOKEN_LENGTH = 24;
// A line break, also of quoted-printable text and of a shell, then the indentation or the mark of a quotation.
const BREAK = /[=\\]?\r?\n[ \t>|#]{0,12}/y;
const PIECE = /[\w+/.~%-]{6,512}={0,2}(?=["'`,;)\]}]{0,3}(?:[=\\]?\r?\n|\r?$|$))/y;

/** Extends a long token to the lines on which it continues. */
export function extendWrapped(text: string, span: Span): Span {
  const { start, end } = span;
  if (end - start < MIN_TOKEN_LENGTH || !isAtWrappedEnd(text, end)) return span;
  let last = end;
  for (;;) {
    BREAK.lastIndex = last;
    if (!BREAK.test(text)) break;
    PIECE.lastIndex = BREAK.lastIndex;
    const piece = PIECE.exec(text)?.[0];
    if (piece === undefined || !isRandom(piece)) break;
    last = PIECE.lastIndex;
    if (piece.length < MIN_LINE_LENGTH - 8) break;
  }
  return last === end ? span : { ...span, end: last };
}

/** Whether a line ends here that is as long as wrapped lines are. */
function isAtWrappedEnd(text: string, end: number): boolean {
  BREAK.lastIndex = end;
  if (!BREAK.test(text)) return false;
  const line = text.slice(Math.max(0, end - MAX_LINE_LENGTH), end);
  return line.length - line.lastIndexOf('\n') - 1 >= MIN_LINE_LENGTH;
}

/** Hashes in hexadecimal, paths and words on the next line belong to something else. */
function isRandom(piece: string): boolean {
  return (
    /\d/.test(piece) && /[a-z]/.test(piece) && /[A-Z]/.test(piece) && !/^[a-z]+[_.:/-]|\/.*\//.test(piece)
  );
}
