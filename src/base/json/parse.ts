import type { TextRange } from '../text/range.ts';
import { skipContainer, skipSpace } from './scan.ts';

/** Longer texts are kept in pieces and read as they are: parsing one would hold up every other caller. */
export const MAX_PARSED_LENGTH = 8_000_000;
const MAX_PARSED_DEPTH = 256;
/** So many lines tell whether a text is a document in every line. */
const LINES_LOOKED_AT = 20;

/**
 * An object or a list; undefined where a text is neither, or is too long or too deep to be read as one. An integer that a
 * number cannot hold is read as a text of its digits: rounded, it would be the id of something else.
 */
export function parseJson(text: string): object | undefined {
  if (text.length > MAX_PARSED_LENGTH || !/^\s*[[{]/.test(text)) return undefined;
  const integers = findLongIntegers(text);
  if (!integers) return undefined;
  try {
    return JSON.parse(withQuotesAround(integers, text)) as object;
  } catch {
    return undefined;
  }
}

/**
 * What a text has a document in every line of (NDJSON, JSON Lines), as one list; undefined for any other text. The first
 * lines decide. One of the later that is no document stands in the list as text: nothing is left out.
 */
export function parseJsonLines(text: string): readonly unknown[] | undefined {
  if (text.length > MAX_PARSED_LENGTH || !/^\s*\{/.test(text)) return undefined;
  const lines = text.trim().split('\n');
  if (lines.length === 1) return undefined;
  const documents: unknown[] = [];
  for (const line of lines) {
    if (line.trim() === '') continue;
    const document = /^\s*\{/.test(line) ? parseJson(line) : undefined;
    if (!document && documents.length < LINES_LOOKED_AT) return undefined;
    documents.push(document ?? line.trimEnd());
  }
  return documents;
}

const INTEGER = /^-?[1-9]\d{15,}$/;

/** Undefined for a text that is nested too deep, which is told here too: whatever walks a document later does so by recursion. */
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

/** One that is another once it has been a number. */
export function isLongInteger(number: string): boolean {
  return number.length >= 16 && INTEGER.test(number) && !Number.isSafeInteger(Number(number));
}

function withQuotesAround(spans: readonly TextRange[], text: string): string {
  let read = 0;
  const pieces = spans.flatMap(({ start, end }) => {
    const before = text.slice(read, start);
    read = end;
    return [before, `"${text.slice(start, end)}"`];
  });
  return pieces.length === 0 ? text : [...pieces, text.slice(read)].join('');
}
