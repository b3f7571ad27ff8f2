import { textIn, viewFault, wholeNumber } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Selector } from './selector.ts';

/** Lines by number, from 1, both ends included. */
export const lines: Selector = {
  parameters: ['start', 'end'],
  select(artifact, parameters) {
    const all = textIn(artifact).split('\n');
    const start = wholeNumber(parameters, 'start', 1, 1);
    const end = Math.min(wholeNumber(parameters, 'end', start + 99, 1), all.length);
    if (start > all.length) throw viewFault(`There are ${all.length} lines.`, { lines: all.length });
    const taken: string[] = [];
    let length = 0;
    for (const line of all.slice(start - 1, end)) {
      if (taken.length > 0 && length + line.length > MAX_VIEW_LENGTH) break;
      // One endless line must not stop the paging, so it is cut; `head` reads it in full.
      taken.push(line.slice(0, MAX_VIEW_LENGTH));
      length += line.length + 1;
    }
    const last = start - 1 + taken.length;
    return {
      text: taken.join('\n'),
      totals: { lines: all.length },
      ...(last < all.length && {
        next: { lines: { start: last + 1, end: Math.min(last + 100, all.length) } },
      }),
    };
  },
};
