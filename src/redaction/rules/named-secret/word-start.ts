const WORD = /[A-Za-z0-9_]/;
// A letter before a token may end an escape, and the word starts behind it: `\n` in JSON, `%3D` in an address, a colour.
const ESCAPE_END = /(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\[[0-9;]{0,12}m)$/;

/** Whether a word starts here. Where a token may hold dashes, `a-` before it makes it the rest of a longer one. */
export function startsWord(text: string, at: number, withDashes: boolean): boolean {
  const before = text[at - 1];
  if (before === undefined) return true;
  if (before === '-') return !withDashes || !/[\w-]/.test(text[at - 2] ?? ' ');
  return !WORD.test(before) || ESCAPE_END.test(text.slice(Math.max(0, at - 16), at));
}
