import { NO_SPANS, type RedactionRule, type Span } from '../rule.ts';
import { isWordStart } from './named-secret/word-start.ts';

const LABEL =
  '(?:(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?|OpenVPN (?:Static key V1|tls-crypt-v2 (?:client|server) key))';
const BEGIN = new RegExp(`-{4,5} ?BEGIN ${LABEL} ?-{4,5}`, 'y');
const END = new RegExp(`-{4,5} ?END ${LABEL} ?-{4,5}`, 'y');
// Lines of base64 with line breaks that may be escaped, and a shorter last line where the text was truncated.
const LINES =
  /(?:(?:\s|\\+[nrt]){1,64}[A-Za-z0-9+/=]{16,})+(?:(?:\s|\\+[nrt]){1,64}[A-Za-z0-9+/=]{1,15}(?=\s*$))?/y;
// Without it the text only mentions the BEGIN and END lines of a key.
const KEY = /[A-Za-z0-9+/]{16}/;
const DASHES = /-{4,5} ?(?:BEGIN|END) /g;
// The file format of PuTTY: named lines, then the numbers of lines of both keys.
const PUTTY =
  /TTY-User-Key-File-\d:(?:[^\r\n]{0,200}?(?:\r?\n|\\n)){1,60}?Private-Lines: \d{1,4}(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{1,100}(?![^\r\n\\])){1,400}(?:(?:\r?\n|\\n)Private-MAC: [0-9a-f]{16,128})?/y;
const ENCODED = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}={0,2}/y;
const ENCODED_HEAD_LENGTH = 88;

/** PEM (RFC 7468), OpenSSH, PGP, SSH2, OpenVPN and PuTTY keys: the whole block, or the rest of a truncated one. */
export const privateKey: RedactionRule = {
  name: 'private-key',
  keywords: ['begin ', 'tty-user-key-file', 'ls0tls1crudjti'],
  find({ text, at, minStart }) {
    if (text[at] === 'T') return matchWhole(text, at, PUTTY);
    if (text[at] === 'L') return findEncoded(text, at);
    const start = at - (/-{4,5} ?$/.exec(text.slice(Math.max(minStart, at - 6), at))?.[0].length ?? 0);
    BEGIN.lastIndex = start;
    if (!BEGIN.test(text)) return NO_SPANS;
    const body = BEGIN.lastIndex;
    const end = findBlockEnd(text, body) ?? findLinesEnd(text, body);
    return KEY.test(text.slice(body, end)) ? [{ start, end, rule: this.name }] : NO_SPANS;
  },
};

function matchWhole(text: string, at: number, form: RegExp): readonly Span[] {
  form.lastIndex = at;
  const start = form === PUTTY && text.startsWith('Pu', at - 2) ? at - 2 : at;
  return form.test(text) ? [{ start, end: form.lastIndex, rule: privateKey.name }] : NO_SPANS;
}

/** A PEM block in base64, as Kubernetes stores it. */
function findEncoded(text: string, at: number): readonly Span[] {
  if (/[+/]/.test(text[at - 1] ?? '') || !isWordStart(text, at, false)) return NO_SPANS;
  const head = Buffer.from(text.slice(at, at + ENCODED_HEAD_LENGTH), 'base64').toString('latin1');
  return head.includes('PRIVATE KEY') ? matchWhole(text, at, ENCODED) : NO_SPANS;
}

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
