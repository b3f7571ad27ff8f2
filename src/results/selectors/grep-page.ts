import type { LinePiece } from './line-pieces.ts';

export const MAX_CONTEXT = 10;
const MATCHES_A_PAGE = 50;
const MAX_SHOWN = 320;
const MIN_SHOWN = 16;
/** A line's number, marks and end. */
const MAX_AROUND = 24;

/** What one answer of `grep` shows: matches, each with the lines around it, each line once. */
export class GrepPage {
  readonly shown: string[] = [];
  matches = 0;
  readonly #context: number;
  readonly #room: number;
  /** The most that is shown of a line. */
  readonly #maxShown: number;
  #waiting: LinePiece[] = [];
  #contextDue = 0;
  #length = 0;
  #last: LinePiece | undefined;

  constructor(context: number, room: number) {
    this.#context = context;
    this.#room = room;
    const lines = 2 * context + 1;
    this.#maxShown = Math.min(MAX_SHOWN, Math.max(Math.floor(room / lines) - MAX_AROUND, MIN_SHOWN));
  }

  /** Whether there is room for one more match with all that goes around it. */
  get isFull(): boolean {
    const most = (this.#waiting.length + 1 + this.#context) * (this.#maxShown + MAX_AROUND);
    return this.matches > 0 && (this.matches >= MATCHES_A_PAGE || this.#length + most > this.#room);
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
    const text = `${line}${from > 0 ? `+${from}` : ''}${mark} ${shownPart(piece.text, index, this.#maxShown)}`;
    this.shown.push(text);
    this.#length += text.length + 1 + (isApart ? 3 : 0);
    this.#last = piece;
  }
}

/** A long line is shown around its match; `lines` reads it in full. */
function shownPart(text: string, index: number, maxShown: number): string {
  if (text.length <= maxShown) return text;
  const start = Math.min(Math.max(0, index - maxShown / 4), text.length - maxShown);
  const end = start + maxShown;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
