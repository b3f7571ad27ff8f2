import { decodeUtf8 } from '../../base/text/utf8.ts';
import { type PageStart, pageOf } from './page.ts';
import { readTextBytes, viewFault, wholeNumber } from './parameters.ts';
import type { Selector } from './selector.ts';

const LINES_A_PAGE = 100;
const NEWLINE = 0x0a;

/** Lines by number, from 1, both ends included; `from` is where in the first of them to begin. */
export const lines: Selector = {
  parameters: ['start', 'end', 'from'],
  select(artifact, parameters, room) {
    const bytes = readTextBytes(artifact);
    const place: PageStart = {
      start: wholeNumber(parameters, 'start', 1, 1),
      from: wholeNumber(parameters, 'from', 0, 0),
    };
    const asked = wholeNumber(parameters, 'end', place.start + LINES_A_PAGE - 1, place.start);
    // A line takes at least its end, so no page has more of them.
    const end = Math.min(asked, place.start + room);
    const { text, total } = linesBetween(bytes, place.start, end);
    if (place.start > total) throw viewFault(`There are ${total} lines.`, { lines: total });
    const found = text.split('\n');
    const { texts, next = { start: end + 1 } } = pageOf(
      place,
      { end: place.start + found.length, room },
      (line) => found[line - place.start]!,
    );
    return {
      text: texts.join('\n'),
      totals: { lines: total },
      ...(next.start <= total && {
        next: { lines: { ...next, end: Math.min(next.start + LINES_A_PAGE - 1, total) } },
      }),
    };
  },
};

/** Found in the bytes: a text of millions of lines need not be taken apart for a hundred of them. */
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
