import type { LinePiece } from './line-pieces.ts';

export const MAX_CONTEXT = 10;
const MATCHES_PER_PAGE = 50;
const MAX_EXCERPT_LENGTH = 320;
const MIN_EXCERPT_LENGTH = 16;
/** Line number, marks and line end (characters). */
const MAX_PREFIX_LENGTH = 24;

/** One page of `grep`: matches, each with the lines around it, each line once. */
export class GrepPage {
  readonly lines: string[] = [];
  matches = 0;
  readonly #context: number;
  readonly #maxLength: number;
  readonly #maxExcerptLength: number;
  /** Lines that precede the next match as context. */
  #before: LinePiece[] = [];
  /** Number of lines still to add after the last match. */
  #afterCount = 0;
  #length = 0;
  #last: LinePiece | undefined;

  constructor(context: number, maxLength: number) {
    this.#context = context;
    this.#maxLength = maxLength;
    const lines = 2 * context + 1;
    const share = Math.floor(maxLength / lines) - MAX_PREFIX_LENGTH;
    this.#maxExcerptLength = Math.min(MAX_EXCERPT_LENGTH, Math.max(share, MIN_EXCERPT_LENGTH));
  }

  /** Whether another match with all its context might not fit. */
  get isFull(): boolean {
    const lines = this.#before.length + 1 + this.#context;
    const needed = lines * (this.#maxExcerptLength + MAX_PREFIX_LENGTH);
    return this.matches > 0 && (this.matches >= MATCHES_PER_PAGE || this.#length + needed > this.#maxLength);
  }

  /** The first line that another match would add: its context, or the match itself. */
  firstLineFor(match: LinePiece): LinePiece {
    return this.#before[0] ?? match;
  }

  addMatch(piece: LinePiece, index: number): void {
    for (const before of this.#before) this.#add(before, '-', 0);
    this.#before = [];
    this.#add(piece, ':', index);
    this.#afterCount = this.#context;
    this.matches++;
  }

  addOther(piece: LinePiece): void {
    if (this.#afterCount > 0) {
      this.#afterCount--;
      this.#add(piece, '-', 0);
    } else if (this.#context > 0) {
      if (this.#before.length === this.#context) this.#before.shift();
      this.#before.push(piece);
    }
  }

  #add(piece: LinePiece, mark: string, index: number): void {
    const { line, from } = piece;
    const followsGap = this.#last !== undefined && this.#last.line + 1 < line;
    if (followsGap && this.#context > 0) this.lines.push('--');
    const excerpt = excerptAround(piece.text, index, this.#maxExcerptLength);
    const text = `${line}${from > 0 ? `+${from}` : ''}${mark} ${excerpt}`;
    this.lines.push(text);
    this.#length += text.length + 1 + (followsGap ? 3 : 0);
    this.#last = piece;
  }
}

/** Cuts a long line to the text around its match. `lines` returns it in full. */
function excerptAround(text: string, index: number, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = Math.min(Math.max(0, index - maxLength / 4), text.length - maxLength);
  const end = start + maxLength;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
