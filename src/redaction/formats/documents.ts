import { afterScalar, afterSpace, afterString } from './json-text.ts';

export interface Extent {
  readonly start: number;
  readonly end: number;
}

const FIRST_LINE = /^\ufeff?[ \t]*(?=[[{])/;
const FURTHER_LINE = /\n[ \t]*(?=[[{])/g;

/**
 * Where JSON stands in a text: objects and lists that begin a line and hold a string. Of a document that was cut, those in
 * it that are whole.
 */
export function* findDocuments(text: string): Generator<Extent> {
  const first = FIRST_LINE.exec(text)?.[0].length;
  for (let start = first ?? nextLine(text, 0); start !== undefined; ) {
    const { documents, end } = readFrom(text, start);
    for (const extent of documents) if (text.slice(extent.start, extent.end).includes('"')) yield extent;
    // What was read is not read again, or a text of brackets would be read as often as it has lines.
    start = nextLine(text, end);
  }
}

function nextLine(text: string, from: number): number | undefined {
  FURTHER_LINE.lastIndex = from;
  return FURTHER_LINE.test(text) ? FURTHER_LINE.lastIndex : undefined;
}

interface Open {
  readonly start: number;
  readonly isObject: boolean;
  /** Objects and lists in it that are closed. */
  readonly inner: Extent[];
}

/** Reads a text as JSON for as long as it is. By a list and not by recursion: depth is what hostile texts attack. */
function readFrom(text: string, start: number): { documents: readonly Extent[]; end: number } {
  const open: Open[] = [];
  let at: number | undefined = start;
  let end = start;
  let isBehindValue = false;
  while (at !== undefined) {
    end = afterSpace(text, at);
    const unit = text[end];
    const holder = open.at(-1);
    if (!isBehindValue && (unit === '{' || unit === '[')) {
      open.push({ start: end, isObject: unit === '{', inner: [] });
      at = afterSpace(text, end + 1);
      isBehindValue = text[at] === (unit === '{' ? '}' : ']');
      if (unit === '{' && !isBehindValue) at = afterName(text, at);
    } else if (!isBehindValue) {
      at = unit === '"' ? afterString(text, end) : afterScalar(text, end);
      isBehindValue = true;
    } else if (unit === ',') {
      at = holder!.isObject ? afterName(text, afterSpace(text, end + 1)) : end + 1;
      isBehindValue = false;
    } else if (unit === (holder!.isObject ? '}' : ']')) {
      open.pop();
      at = end + 1;
      const extent = { start: holder!.start, end: at };
      if (open.length === 0) return { documents: [extent], end: at };
      open.at(-1)!.inner.push(extent);
    } else at = undefined;
  }
  return { documents: open.flatMap(({ inner }) => inner), end: Math.max(end, start + 1) };
}

/** Behind the colon of a name; undefined where none stands. */
function afterName(text: string, at: number): number | undefined {
  const end = text[at] === '"' ? afterString(text, at) : undefined;
  const colon = end === undefined ? -1 : afterSpace(text, end);
  return text[colon] === ':' ? colon + 1 : undefined;
}
