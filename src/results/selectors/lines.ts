import { decodeUtf8 } from '../../base/text/utf8.ts';
import { type PageStart, pageOf } from './page.ts';
import { readInteger, readTextBytes, viewFault } from './parameters.ts';
import type { Selector } from './selector.ts';

const LINES_PER_PAGE = 100;
const NEWLINE = 0x0a;

/** Lines by number, from 1, both ends included. `from` is the first character to return of the first line. */
export const lines: Selector = {
  parameters: ['start', 'end', 'from'],
  select(artifact, parameters, maxLength) {
    const bytes = readTextBytes(artifact);
    const pageStart: PageStart = {
      start: readInteger(parameters, 'start', 1, 1),
      from: readInteger(parameters, 'from', 0, 0),
    };
    const { start } = pageStart;
    const requestedEnd = readInteger(parameters, 'end', start + LINES_PER_PAGE - 1, start);
    // Each line takes at least its line end, so a page cannot hold more lines than characters.
    const end = Math.min(requestedEnd, start + maxLength);
    const { text, total } = linesBetween(bytes, start, end);
    if (start > total) throw viewFault(`The text has ${total} lines.`, { lines: total });
    const found = text.split('\n');
    const { texts, next = { start: end + 1 } } = pageOf(
      pageStart,
      { end: start + found.length, maxLength },
      (line) => found[line - start]!,
    );
    return {
      text: texts.join('\n'),
      totals: { lines: total },
      ...(next.start <= total && {
        next: { lines: { ...next, end: Math.min(next.start + LINES_PER_PAGE - 1, total) } },
      }),
    };
  },
};

/** Searches the bytes, so that a text of millions of lines is not split for a hundred of them. */
function linesBetween(bytes: Uint8Array, start: number, end: number): { text: string; total: number } {
  let total = 1;
  let from = start === 1 ? 0 : bytes.length;
  let to = bytes.length;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    if (total === end) to = at;
    total++;
    if (total === start) from = at + 1;
  }
  return { text: decodeUtf8(bytes.subarray(from, to)), total };
}
