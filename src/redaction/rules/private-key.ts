import { NOTHING, type RedactionRule } from '../rule.ts';

const BEGIN = /-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
const END = /-{4,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
// Lines of base64, their breaks written as such or escaped once or more, and the beginning of one more where a text was cut.
const LINES =
  /(?:(?:\s|\\+[nrt]){1,64}[A-Za-z0-9+/=]{16,})+(?:(?:\s|\\+[nrt]){1,64}[A-Za-z0-9+/=]{1,15}(?=\s*$))?/y;
// Without it the lines that begin and end a key are only spoken of.
const KEY = /[A-Za-z0-9+/]{16}/;
const DASHES = /-{4,5} ?(?:BEGIN|END) /g;

/** PEM (RFC 7468), OpenSSH, PGP, SSH2: the whole block, or what there is of one that was cut. */
export const privateKey: RedactionRule = {
  name: 'private-key',
  opens: ['begin '],
  find({ text, at, free }) {
    const start = at - (/-{4,5} ?$/.exec(text.slice(Math.max(free, at - 6), at))?.[0].length ?? 0);
    BEGIN.lastIndex = start;
    if (!BEGIN.test(text)) return NOTHING;
    const body = BEGIN.lastIndex;
    const end = endOfBlock(text, body) ?? endOfLines(text, body);
    return KEY.test(text.slice(body, end)) ? [{ start, end, rule: this.name }] : NOTHING;
  },
};

function endOfBlock(text: string, body: number): number | undefined {
  DASHES.lastIndex = body;
  const next = DASHES.exec(text);
  if (!next) return undefined;
  END.lastIndex = next.index;
  return END.test(text) ? END.lastIndex : undefined;
}

function endOfLines(text: string, body: number): number {
  LINES.lastIndex = body;
  return LINES.test(text) ? LINES.lastIndex : body;
}
