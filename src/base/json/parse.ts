import type { TextRange } from '../text/range.ts';
import { skipContainer, skipSpace } from './scan.ts';

/** Longer texts are stored in pieces and read as plain text, because parsing them would block all other callers. */
export const MAX_PARSED_LENGTH = 8_000_000;
const MAX_PARSED_DEPTH = 256;
/** The first lines decide whether a text is JSON Lines. */
const MIN_JSON_LINES = 20;

/**
 * Parses an object or an array; undefined for any other text, and for one that is too long or nested too deeply. An
 * integer beyond double precision becomes a string of its digits, because a rounded id would name another object.
 */
export function parseJson(text: string): object | undefined {
  if (text.length > MAX_PARSED_LENGTH || !/^\s*[[{]/.test(text)) return undefined;
  const integers = findLongIntegers(text);
  if (!integers) return undefined;
  try {
    return JSON.parse(quoteRanges(text, integers)) as object;
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON Lines (NDJSON) into one list; undefined for any other text. A later line that is not a document becomes a
 * string of the list, so that no line is lost.
 */
export function parseJsonLines(text: string): readonly unknown[] | undefined {
  if (text.length > MAX_PARSED_LENGTH || !/^\s*\{/.test(text)) return undefined;
  const lines = text.trim().split('\n');
  if (lines.length === 1) return undefined;
  const documents: unknown[] = [];
  for (const line of lines) {
    if (line.trim() === '') continue;
    const document = /^\s*\{/.test(line) ? parseJson(line) : undefined;
    if (!document && documents.length < MIN_JSON_LINES) return undefined;
    documents.push(document ?? line.trimEnd());
  }
  return documents;
}

const INTEGER = /^-?[1-9]\d{15,}$/;

/** Undefined for a text that is malformed or nested too deeply: later code walks the parsed document by recursion. */
function findLongIntegers(text: string): TextRange[] | undefined {
  const integers: TextRange[] = [];
  const end = skipContainer(text, skipSpace(text, 0), {
    maxDepth: MAX_PARSED_DEPTH,
    onNumber(number, start) {
      if (isLongInteger(number)) integers.push({ start, end: start + number.length });
    },
  });
  return end === undefined ? undefined : integers;
}

/** Whether an integer changes its value as a double. */
export function isLongInteger(number: string): boolean {
  return number.length >= 16 && INTEGER.test(number) && !Number.isSafeInteger(Number(number));
}

function quoteRanges(text: string, ranges: readonly TextRange[]): string {
  let read = 0;
  const pieces = ranges.flatMap(({ start, end }) => {
    const before = text.slice(read, start);
    read = end;
    return [before, `"${text.slice(start, end)}"`];
  });
  return pieces.length === 0 ? text : [...pieces, text.slice(read)].join('');
}
