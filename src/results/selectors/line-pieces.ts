import type { PageStart } from './page.ts';
import { wholeCharacters } from './page.ts';

/** A line, or a part of one that is too long to be looked at in one go. */
export interface LinePiece {
  readonly line: number;
  /** Where in its line it begins. */
  readonly from: number;
  readonly text: string;
  /** How much of the text is this piece; the rest is how the next one begins. */
  readonly ownLength: number;
}

/** The lines of a text from a place on, numbered from 1. */
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
      const reach = text.slice(at, Math.min(at + ownLength + overlap, end));
      yield { line, from: at - begin, text: wholeCharacters(reach), ownLength };
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
