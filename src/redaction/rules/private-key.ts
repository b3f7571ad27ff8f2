import { NO_SPANS, type RedactionRule } from '../rule.ts';

const BEGIN = /-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
const END = /-{4,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
// Lines of base64 with line breaks that may be escaped, and a shorter last line where the text was truncated.
const LINES =
  /(?:(?:\s|\\+[nrt]){1,64}[A-Za-z0-9+/=]{16,})+(?:(?:\s|\\+[nrt]){1,64}[A-Za-z0-9+/=]{1,15}(?=\s*$))?/y;
// Without it the text only mentions the BEGIN and END lines of a key.
const KEY = /[A-Za-z0-9+/]{16}/;
const DASHES = /-{4,5} ?(?:BEGIN|END) /g;

/** PEM (RFC 7468), OpenSSH, PGP and SSH2 keys: the whole block, or the rest of a truncated one. */
export const privateKey: RedactionRule = {
  name: 'private-key',
  keywords: ['begin '],
  find({ text, at, minStart }) {
    const start = at - (/-{4,5} ?$/.exec(text.slice(Math.max(minStart, at - 6), at))?.[0].length ?? 0);
    BEGIN.lastIndex = start;
    if (!BEGIN.test(text)) return NO_SPANS;
    const body = BEGIN.lastIndex;
    const end = findBlockEnd(text, body) ?? findLinesEnd(text, body);
    return KEY.test(text.slice(body, end)) ? [{ start, end, rule: this.name }] : NO_SPANS;
  },
};

function findBlockEnd(text: string, body: number): number | undefined {
  DASHES.lastIndex = body;
  const next = DASHES.exec(text);
  if (!next) return undefined;
  END.lastIndex = next.index;
  return END.test(text) ? END.lastIndex : undefined;
}

function findLinesEnd(text: string, body: number): number {
  LINES.lastIndex = body;
  return LINES.test(text) ? LINES.lastIndex : body;
}
