import { readInteger, readText } from './parameters.ts';
import { MAX_VIEW_LENGTH, type Selector } from './selector.ts';

/** The text up to a character, by default its end. Starts at a line start if possible; the next page is the one before. */
export const tail: Selector = {
  parameters: ['end', 'chars'],
  select(artifact, parameters, maxLength) {
    const text = readText(artifact);
    const end = Math.min(readInteger(parameters, 'end', text.length, 0), text.length);
    const chars = Math.min(readInteger(parameters, 'chars', MAX_VIEW_LENGTH / 2, 1), MAX_VIEW_LENGTH);
    const start = startOf(text, Math.max(end - Math.min(chars, maxLength), 0), end);
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
  // Both halves of a split surrogate pair would be lost in UTF-8.
  const splitsPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(start - 1, start + 1));
  return !splitsPair ? start : start + 1 < end ? start + 1 : start - 1;
}
