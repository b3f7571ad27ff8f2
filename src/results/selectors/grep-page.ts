import type { LinePiece } from './line-pieces.ts';
import { MAX_VIEW_LENGTH } from './selector.ts';

export const MAX_CONTEXT = 10;
const MATCHES_A_PAGE = 50;
const MAX_SHOWN = 320;
const SHOWN_BEFORE_MATCH = 80;
/** A line's number, marks and end. */
const MAX_AROUND = 24;

/** What one answer of `grep` shows: matches, each with the lines around it, each line once. */
export class GrepPage {
  readonly shown: string[] = [];
  matches = 0;
  readonly #context: number;
  #waiting: LinePiece[] = [];
  #contextDue = 0;
  #length = 0;
  #last: LinePiece | undefined;

  constructor(context: number) {
    this.#context = context;
  }

  /** Whether there is room for one more match with all that goes around it. */
  get isFull(): boolean {
    const most = (this.#waiting.length + 1 + this.#context) * (MAX_SHOWN + MAX_AROUND);
    return this.matches > 0 && (this.matches >= MATCHES_A_PAGE || this.#length + most > MAX_VIEW_LENGTH);
  }

  /** The first line that a further match would show. */
  firstWaiting(match: LinePiece): LinePiece {
    return this.#waiting[0] ?? match;
  }

  addMatch(piece: LinePiece, index: number): void {
    for (const before of this.#waiting) this.#show(before, '-', 0);
    this.#waiting = [];
    this.#show(piece, ':', index);
    this.#contextDue = this.#context;
    this.matches++;
  }

  addOther(piece: LinePiece): void {
    if (this.#contextDue > 0) {
      this.#contextDue--;
      this.#show(piece, '-', 0);
    } else if (this.#context > 0) {
      if (this.#waiting.length === this.#context) this.#waiting.shift();
      this.#waiting.push(piece);
    }
  }

  #show(piece: LinePiece, mark: string, index: number): void {
    const { line, from } = piece;
    const isApart = this.#last !== undefined && this.#last.line + 1 < line;
    if (isApart && this.#context > 0) this.shown.push('--');
    const text = `${line}${from > 0 ? `+${from}` : ''}${mark} ${shownPart(piece.text, index)}`;
    this.shown.push(text);
    this.#length += text.length + 1 + (isApart ? 3 : 0);
    this.#last = piece;
  }
}

/** A long line is shown around its match; `lines` reads it in full. */
function shownPart(text: string, index: number): string {
  if (text.length <= MAX_SHOWN) return text;
  const start = Math.min(Math.max(0, index - SHOWN_BEFORE_MATCH), text.length - MAX_SHOWN);
  const end = start + MAX_SHOWN;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
