import { CpuBudget } from '../../base/cpu-budget.ts';
import { GrepPage, MAX_CONTEXT } from './grep-page.ts';
import { lineCountOf } from './line-count.ts';
import { type LinePiece, linePieces } from './line-pieces.ts';
import type { PageStart } from './page.ts';
import { flag, readText, viewFault, wholeNumber } from './parameters.ts';
import { type Pattern, patternOf } from './pattern.ts';
import type { Parameters, Selector } from './selector.ts';

const MAX_MILLISECONDS = 50;
/** The longest that looking at one piece may take. */
const MAX_PIECE_MICROSECONDS = 10_000;
const MAX_PIECE_LENGTH = 65_536;
/** How far a match may go on into the next piece. */
const MAX_OVERLAP = 1_024;

/**
 * Lines that match a pattern, with their numbers (`7: …`) and the lines around them (`8- …`). A line of more than 65,536
 * characters (fewer where the pattern is complex) is searched in pieces, as if each were a line that goes on a little
 * into the next: what is found there belongs to the piece that it begins in.
 */
export const grep: Selector = {
  parameters: ['pattern', 'context', 'ignore_case', 'start', 'from'],
  select(artifact, parameters, room) {
    const text = readText(artifact);
    const place = {
      start: wholeNumber(parameters, 'start', 1, 1),
      from: wholeNumber(parameters, 'from', 0, 0),
    };
    const page = new GrepPage(contextIn(parameters), room);
    const search = searchIn(text, patternIn(parameters));
    const stoppedAt = fill(page, search, place);
    const others = countOthers(search, place, stoppedAt);
    const { from: _, ...again } = parameters;
    return {
      text: page.shown.join('\n') || (stoppedAt ? `no match before line ${stoppedAt.line}` : 'no match'),
      // How many there are in all is known where the whole text could be searched at once.
      totals: {
        ...(others !== undefined && { matches: page.matches + others }),
        lines: lineCountOf(text),
      },
      ...(stoppedAt && {
        next: {
          grep: { ...again, start: stoppedAt.line, ...(stoppedAt.from > 0 && { from: stoppedAt.from }) },
        },
      }),
    };
  },
};

function contextIn(parameters: Parameters): number {
  const context = wholeNumber(parameters, 'context', 0, 0);
  if (context > MAX_CONTEXT)
    throw viewFault(`"context" must be at most ${MAX_CONTEXT}. Use "lines" for more.`);
  return context;
}

function patternIn(parameters: Parameters): Pattern {
  const { pattern: source } = parameters;
  const ignoreCase = flag(parameters, 'ignore_case');
  const pattern = typeof source === 'string' && source !== '' ? patternOf(source, { ignoreCase }) : undefined;
  if (pattern) return pattern;
  throw viewFault(
    '"pattern" must be a regular expression: at most 500 characters, no look-around, no back-references.',
  );
}

interface Search {
  piecesFrom(place: PageStart): Generator<LinePiece>;
  /** Where in the piece the first match begins; undefined where none does. */
  matchIn(piece: LinePiece): number | undefined;
  /** Whether there is any effort left for more. */
  pay(piece: LinePiece): boolean;
}

function searchIn(text: string, pattern: Pattern): Search {
  const effort = new CpuBudget(MAX_MILLISECONDS);
  const { microsecondsPerCharacter } = pattern;
  const maxLength = Math.floor(Math.min(MAX_PIECE_MICROSECONDS / microsecondsPerCharacter, MAX_PIECE_LENGTH));
  const overlap = Math.min(MAX_OVERLAP, Math.floor(maxLength / 4));
  return {
    piecesFrom: (place) => linePieces(text, place, { maxLength, overlap }),
    matchIn: (piece) => {
      const line = withoutReturn(piece.text);
      if (!pattern.test(line)) return undefined;
      const index = pattern.indexIn(line);
      return index < piece.ownLength || piece.ownLength === piece.text.length ? index : undefined;
    },
    pay: (piece) => effort.spend(0.5 + piece.text.length * microsecondsPerCharacter),
  };
}

/** Else `$` would match no line of a text that ends its lines the other way. */
function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Where it stopped: the page is full, or the search took too long. */
function fill(page: GrepPage, search: Search, place: PageStart): LinePiece | undefined {
  let hasEffort = true;
  for (const piece of search.piecesFrom(place)) {
    if (!hasEffort) return piece;
    hasEffort = search.pay(piece);
    const index = search.matchIn(piece);
    if (index === undefined) page.addOther(piece);
    else if (page.isFull) return page.firstWaiting(piece);
    else page.addMatch(piece, index);
  }
  return undefined;
}

/** How many matches are not on the page; undefined where counting would take too long. */
function countOthers(search: Search, place: PageStart, stoppedAt: LinePiece | undefined): number | undefined {
  const before = countBetween(search, { start: 1, from: 0 }, place);
  const after = stoppedAt ? countBetween(search, { start: stoppedAt.line, from: stoppedAt.from }) : 0;
  return before === undefined || after === undefined ? undefined : before + after;
}

function countBetween(search: Search, place: PageStart, until?: PageStart): number | undefined {
  let matches = 0;
  for (const piece of search.piecesFrom(place)) {
    if (until && (piece.line > until.start || (piece.line === until.start && piece.from >= until.from)))
      break;
    if (!search.pay(piece)) return undefined;
    if (search.matchIn(piece) !== undefined) matches++;
  }
  return matches;
}
