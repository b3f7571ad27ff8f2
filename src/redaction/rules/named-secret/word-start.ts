const WORD = /[A-Za-z0-9_]/;
// A letter before a token may end an escape, after which a word starts: `\n` in JSON, `%3D` in a URL, an ANSI colour.
const ESCAPE_END = /(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\[[0-9;]{0,12}m)$/;

/** Whether a word starts at an index. Where a token may contain dashes, a dash after a letter continues a longer word. */
export function isWordStart(text: string, at: number, withDashes: boolean): boolean {
  const before = text[at - 1];
  if (before === undefined) return true;
  if (before === '-') return !withDashes || !/[\w-]/.test(text[at - 2] ?? ' ');
  return !WORD.test(before) || ESCAPE_END.test(text.slice(Math.max(0, at - 16), at));
}
