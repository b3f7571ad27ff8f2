import { skipScalar, skipSpace, skipString } from '../../base/json/scan.ts';
import type { TextRange } from '../../base/text/range.ts';

const FIRST_LINE = /^\ufeff?[ \t]*(?=[[{])/;
const FURTHER_LINE = /\n[ \t]*(?=[[{])/g;

/**
 * Finds JSON in a text: objects and arrays that start a line and contain a string. Of a truncated document it returns
 * the nested objects and arrays that are complete.
 */
export function* findDocuments(text: string): Generator<TextRange> {
  const first = FIRST_LINE.exec(text)?.[0].length;
  for (let start = first ?? findNextLine(text, 0); start !== undefined; ) {
    const { documents, end } = scanDocument(text, start);
    for (const range of documents) if (text.slice(range.start, range.end).includes('"')) yield range;
    // The scan resumes after what it has read; otherwise a text of brackets would take quadratic time.
    start = findNextLine(text, end);
  }
}

function findNextLine(text: string, from: number): number | undefined {
  FURTHER_LINE.lastIndex = from;
  return FURTHER_LINE.test(text) ? FURTHER_LINE.lastIndex : undefined;
}

interface OpenContainer {
  readonly start: number;
  readonly isObject: boolean;
  /** Complete objects and arrays directly inside this container. */
  readonly inner: TextRange[];
}

/** Reads as far as the text is valid JSON. It keeps a stack instead of recursing, because hostile texts nest deeply. */
function scanDocument(text: string, start: number): { documents: readonly TextRange[]; end: number } {
  const open: OpenContainer[] = [];
  let at: number | undefined = start;
  let end = start;
  let isAfterValue = false;
  while (at !== undefined) {
    end = skipSpace(text, at);
    const unit = text[end];
    const container = open.at(-1);
    if (!isAfterValue && (unit === '{' || unit === '[')) {
      open.push({ start: end, isObject: unit === '{', inner: [] });
      at = skipSpace(text, end + 1);
      isAfterValue = text[at] === (unit === '{' ? '}' : ']');
      if (unit === '{' && !isAfterValue) at = skipName(text, at);
    } else if (!isAfterValue) {
      at = unit === '"' ? skipString(text, end) : skipScalar(text, end);
      isAfterValue = true;
    } else if (unit === ',') {
      at = container!.isObject ? skipName(text, skipSpace(text, end + 1)) : end + 1;
      isAfterValue = false;
    } else if (unit === (container!.isObject ? '}' : ']')) {
      open.pop();
      at = end + 1;
      const range = { start: container!.start, end: at };
      if (open.length === 0) return { documents: [range], end: at };
      open.at(-1)!.inner.push(range);
    } else at = undefined;
  }
  return { documents: open.flatMap(({ inner }) => inner), end: Math.max(end, start + 1) };
}

/** Skips a member name and its colon. */
function skipName(text: string, at: number): number | undefined {
  const end = text[at] === '"' ? skipString(text, at) : undefined;
  const colon = end === undefined ? -1 : skipSpace(text, end);
  return text[colon] === ':' ? colon + 1 : undefined;
}
