import { decoded, textBytesIn, viewFault, wholeNumber } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Selector } from './selector.ts';

const LINES_A_PAGE = 100;
const NEWLINE = 0x0a;

/** Lines by number, from 1, both ends included. */
export const lines: Selector = {
  parameters: ['start', 'end'],
  select(artifact, parameters) {
    const bytes = textBytesIn(artifact);
    const start = wholeNumber(parameters, 'start', 1, 1);
    const end = wholeNumber(parameters, 'end', start + LINES_A_PAGE - 1, start);
    const { text, total } = linesBetween(bytes, start, end);
    if (start > total) throw viewFault(`There are ${total} lines.`, { lines: total });
    const taken: string[] = [];
    let length = 0;
    for (const line of text.split('\n')) {
      if (taken.length > 0 && length + line.length > MAX_VIEW_LENGTH) break;
      // One endless line must not stop the paging, so it is cut; `head` reads it in full.
      taken.push(line.slice(0, MAX_VIEW_LENGTH));
      length += line.length + 1;
    }
    const last = start - 1 + taken.length;
    return {
      text: taken.join('\n'),
      totals: { lines: total },
      ...(last < total && {
        next: { lines: { start: last + 1, end: Math.min(last + LINES_A_PAGE, total) } },
      }),
    };
  },
};

/** Found in the bytes: a text of millions of lines need not be taken apart for a hundred of them. */
function linesBetween(bytes: Uint8Array, start: number, end: number): { text: string; total: number } {
  let total = 1;
  let from = start === 1 ? 0 : bytes.length;
  let to = bytes.length;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== NEWLINE) continue;
    if (total === end) to = i;
    total++;
    if (total === start) from = i + 1;
  }
  return { text: decoded(bytes.subarray(from, to)), total };
}
