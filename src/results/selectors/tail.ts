import { readText, wholeNumber } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Selector } from './selector.ts';

/** The text up to a character, by default its end; the next page is the one before it. It begins with a line where it can. */
export const tail: Selector = {
  parameters: ['end', 'chars'],
  select(artifact, parameters, room) {
    const text = readText(artifact);
    const end = Math.min(wholeNumber(parameters, 'end', text.length, 0), text.length);
    const chars = Math.min(wholeNumber(parameters, 'chars', MAX_VIEW_LENGTH / 2, 1), MAX_VIEW_LENGTH);
    const start = startOf(text, Math.max(end - Math.min(chars, room), 0), end);
    return {
      text: text.slice(start, end),
      totals: { chars: text.length },
      ...(start > 0 && { next: { tail: { end: start, chars } } }),
    };
  },
};

function startOf(text: string, start: number, end: number): number {
  if (start === 0) return 0;
  const lineEnd = text.indexOf('\n', start - 1);
  if (lineEnd !== -1 && lineEnd + 1 < end) return lineEnd + 1;
  // Half a surrogate pair is not a character.
  const tears = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(start - 1, start + 1));
  return !tears ? start : start + 1 < end ? start + 1 : start - 1;
}
