import { CpuBudget } from '../../base/cpu-budget.ts';
import type { LinearRegexp } from '../../base/text/linear-regexp.ts';
import { countLines } from './count-lines.ts';
import { GrepPage, MAX_CONTEXT } from './grep-page.ts';
import { type LinePiece, linePieces } from './line-pieces.ts';
import type { PageStart } from './page.ts';
import { readFlag, readInteger, readText, viewFault } from './parameters.ts';
import { compilePattern } from './pattern.ts';
import type { Parameters, Selector } from './selector.ts';

const MAX_MILLISECONDS = 50;
/** The longest time for one piece (µs). */
const MAX_PIECE_MICROSECONDS = 10_000;
const MAX_PIECE_LENGTH = 65_536;
/** How far a match may extend into the next piece (characters). */
const MAX_OVERLAP = 1_024;

/**
 * Lines that match a pattern, with their numbers (`7: …`) and the lines around them (`8- …`). A line of more than 65,536
 * characters (fewer for a complex pattern) is searched in overlapping pieces; a match belongs to the piece it begins in.
 */
export const grep: Selector = {
  parameters: ['pattern', 'context', 'ignore_case', 'start', 'from'],
  select(artifact, parameters, maxLength) {
    const text = readText(artifact);
    const pageStart = {
      start: readInteger(parameters, 'start', 1, 1),
      from: readInteger(parameters, 'from', 0, 0),
    };
    const page = new GrepPage(readContext(parameters), maxLength);
    const search = createSearch(text, readPattern(parameters));
    const stoppedAt = fillPage(page, search, pageStart);
    const others = countOthers(search, pageStart, stoppedAt);
    const { from: _, ...repeated } = parameters;
    return {
      text: page.lines.join('\n') || (stoppedAt ? `no match before line ${stoppedAt.line}` : 'no match'),
      // The total is known only if the whole text was searched within the CPU budget.
      totals: {
        ...(others !== undefined && { matches: page.matches + others }),
        lines: countLines(text),
      },
      ...(stoppedAt && {
        next: {
          grep: { ...repeated, start: stoppedAt.line, ...(stoppedAt.from > 0 && { from: stoppedAt.from }) },
        },
      }),
    };
  },
};

function readContext(parameters: Parameters): number {
  const context = readInteger(parameters, 'context', 0, 0);
  if (context > MAX_CONTEXT)
    throw viewFault(`"context" must be at most ${MAX_CONTEXT}. Use "lines" for more.`);
  return context;
}

function readPattern(parameters: Parameters): LinearRegexp {
  const { pattern: source } = parameters;
  const ignoreCase = readFlag(parameters, 'ignore_case');
  const pattern =
    typeof source === 'string' && source !== '' ? compilePattern(source, { ignoreCase }) : undefined;
  if (pattern) return pattern;
  throw viewFault(
    '"pattern" must be a regular expression: at most 500 characters, no look-around, no back-references.',
  );
}

interface Search {
  piecesFrom(pageStart: PageStart): Generator<LinePiece>;
  /** Where in the piece the first match begins; undefined if there is none. */
  findMatch(piece: LinePiece): number | undefined;
  /** Charges the CPU budget for a piece; false once the budget is spent. */
  spend(piece: LinePiece): boolean;
}

function createSearch(text: string, pattern: LinearRegexp): Search {
  const budget = new CpuBudget(MAX_MILLISECONDS);
  const { microsecondsPerCharacter } = pattern;
  const maxLength = Math.floor(Math.min(MAX_PIECE_MICROSECONDS / microsecondsPerCharacter, MAX_PIECE_LENGTH));
  const overlap = Math.min(MAX_OVERLAP, Math.floor(maxLength / 4));
  return {
    piecesFrom: (pageStart) => linePieces(text, pageStart, { maxLength, overlap }),
    findMatch: (piece) => {
      const line = withoutCarriageReturn(piece.text);
      if (!pattern.test(line)) return undefined;
      const index = pattern.search(line);
      return index < piece.ownLength || piece.ownLength === piece.text.length ? index : undefined;
    },
    spend: (piece) => budget.spend(0.5 + piece.text.length * microsecondsPerCharacter),
  };
}

/** Without this, `$` would match no line of a text with CRLF line ends. */
function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Returns where the search stopped because the page was full or the CPU budget was spent. */
function fillPage(page: GrepPage, search: Search, pageStart: PageStart): LinePiece | undefined {
  let hasBudget = true;
  for (const piece of search.piecesFrom(pageStart)) {
    if (!hasBudget) return piece;
    hasBudget = search.spend(piece);
    const index = search.findMatch(piece);
    if (index === undefined) page.addOther(piece);
    else if (page.isFull) return page.firstLineFor(piece);
    else page.addMatch(piece, index);
  }
  return undefined;
}

/** Number of matches that are not on the page; undefined if counting would take too long. */
function countOthers(
  search: Search,
  pageStart: PageStart,
  stoppedAt: LinePiece | undefined,
): number | undefined {
  const before = countMatches(search, { start: 1, from: 0 }, pageStart);
  const after = stoppedAt ? countMatches(search, { start: stoppedAt.line, from: stoppedAt.from }) : 0;
  return before === undefined || after === undefined ? undefined : before + after;
}

function countMatches(search: Search, start: PageStart, end?: PageStart): number | undefined {
  let matches = 0;
  for (const piece of search.piecesFrom(start)) {
    if (end && (piece.line > end.start || (piece.line === end.start && piece.from >= end.from))) break;
    if (!search.spend(piece)) return undefined;
    if (search.findMatch(piece) !== undefined) matches++;
  }
  return matches;
}
