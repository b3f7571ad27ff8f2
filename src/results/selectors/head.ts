import { readText, wholeNumber } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Selector } from './selector.ts';

/** The text from a character on: works on anything, one endless line included. */
export const head: Selector = {
  parameters: ['start', 'chars'],
  select(artifact, parameters, room) {
    const text = readText(artifact);
    const start = wholeNumber(parameters, 'start', 0, 0);
    const chars = Math.min(wholeNumber(parameters, 'chars', MAX_VIEW_LENGTH / 2, 1), MAX_VIEW_LENGTH);
    const end = start + Math.min(chars, room);
    // Half a surrogate pair is not a character, and both halves of a torn one would be lost.
    const tears = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1));
    const last = !tears ? end : end - start > 1 ? end - 1 : end + 1;
    return {
      text: text.slice(start, last),
      totals: { chars: text.length },
      ...(last < text.length && { next: { head: { start: last, chars } } }),
    };
  },
};
