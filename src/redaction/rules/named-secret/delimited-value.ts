import type { TextRange } from '../../../base/text/range.ts';

const CDATA = '<![CDATA[';
// The first line break after the quotes is not part of the value. In an error message it is a space.
const TRIPLE_QUOTE = /("""|''')[ \t]{0,8}\\?\s{0,16}(?=[^\s"'])/y;
const MAX_LENGTH = 2_048;

/** Reads a value between delimiters of several characters: CDATA of XML, multi-line strings of TOML and Python. */
export function readDelimited(text: string, at: number): TextRange | undefined {
  if (text.startsWith(CDATA, at)) return readUntil(text, at + CDATA.length, ']]>');
  TRIPLE_QUOTE.lastIndex = at;
  const quote = TRIPLE_QUOTE.exec(text)?.[1];
  return quote === undefined ? undefined : readUntil(text, TRIPLE_QUOTE.lastIndex, quote);
}

function readUntil(text: string, start: number, delimiter: string): TextRange | undefined {
  const length = text.slice(start, start + MAX_LENGTH).indexOf(delimiter);
  if (length === -1) return undefined;
  return { start, end: start + text.slice(start, start + length).trimEnd().length };
}
