import { readInteger, readText } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Selector } from './selector.ts';

/** The text from a character on. Works on any text, including a single very long line. */
export const head: Selector = {
  parameters: ['start', 'chars'],
  select(artifact, parameters, maxLength) {
    const text = readText(artifact);
    const start = readInteger(parameters, 'start', 0, 0);
    const chars = Math.min(readInteger(parameters, 'chars', MAX_VIEW_LENGTH / 2, 1), MAX_VIEW_LENGTH);
    const end = start + Math.min(chars, maxLength);
    // Both halves of a split surrogate pair would be lost in UTF-8.
    const splitsPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1));
    const last = !splitsPair ? end : end - start > 1 ? end - 1 : end + 1;
    return {
      text: text.slice(start, last),
      totals: { chars: text.length },
      ...(last < text.length && { next: { head: { start: last, chars } } }),
    };
  },
};
