import { textIn, wholeNumber } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Selector } from './selector.ts';

/** The text from a character on: works on anything, one endless line included. */
export const head: Selector = {
  parameters: ['start', 'chars'],
  select(artifact, parameters) {
    const text = textIn(artifact);
    const start = wholeNumber(parameters, 'start', 0, 0);
    const wanted = wholeNumber(parameters, 'chars', MAX_VIEW_LENGTH / 2, 1);
    const end = start + Math.min(wanted, MAX_VIEW_LENGTH);
    return {
      text: text.slice(start, end),
      totals: { chars: text.length },
      ...(end < text.length && { next: { head: { start: end, chars: wanted } } }),
    };
  },
};
