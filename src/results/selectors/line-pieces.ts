import type { PageStart } from './page.ts';
import { wholeCharacters } from './page.ts';

/** A line, or a part of a line that is too long to be searched at once. */
export interface LinePiece {
  readonly line: number;
  /** Position of the piece in its line (characters). */
  readonly from: number;
  readonly text: string;
  /** Length of the piece itself. The text after it is the start of the next piece. */
  readonly ownLength: number;
}

/** The lines of a text from a position on, numbered from 1. */
export function* linePieces(
  text: string,
  { start, from }: PageStart,
  { maxLength, overlap }: { readonly maxLength: number; readonly overlap: number },
): Generator<LinePiece> {
  let begin = beginOf(text, start);
  let skipped = from;
  for (let line = start; begin !== undefined; line++) {
    const lineEnd = text.indexOf('\n', begin);
    const end = lineEnd === -1 ? text.length : lineEnd;
    let at = Math.min(begin + skipped, end);
    do {
      const piece = text.slice(at, Math.min(at + maxLength, end));
      const { length: ownLength } = at + piece.length < end ? wholeCharacters(piece) : piece;
      const withOverlap = text.slice(at, Math.min(at + ownLength + overlap, end));
      yield { line, from: at - begin, text: wholeCharacters(withOverlap), ownLength };
      at += ownLength;
    } while (at < end);
    begin = lineEnd === -1 ? undefined : lineEnd + 1;
    skipped = 0;
  }
}

function beginOf(text: string, line: number): number | undefined {
  let begin = 0;
  for (let number = 1; number < line; number++) {
    const lineEnd = text.indexOf('\n', begin);
    if (lineEnd === -1) return undefined;
    begin = lineEnd + 1;
  }
  return begin;
}
