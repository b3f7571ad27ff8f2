import { nameAt, valueAfter } from './name-at.ts';
import { isPlaceholder } from './placeholder.ts';
import { NOTHING, type Rule, type Span } from './rule.ts';
import { openingAt } from './value-end.ts';

export const AUTHORIZATION = 'authorization';

const SPACE = '(?:[ \\t]{1,4}|%20|\\+)';
// RFC 9110, section 11.4: a scheme and one token. Lists of parameters, as Digest and AWS have, are not one.
const CREDENTIALS = new RegExp(
  `(?:[A-Za-z][\\w-]{1,24}${SPACE})?([A-Za-z0-9][A-Za-z0-9._~+/:-]{7,}={0,2})(?![\\w={}$<(])`,
  'y',
);
const BEARER = new RegExp(`bearer${SPACE}([A-Za-z0-9][A-Za-z0-9._~+/-]{15,}={0,2})(?![\\w={}$<(])`, 'iy');
const BASIC = new RegExp(`basic${SPACE}([A-Za-z0-9+/]{8,}={0,2})(?![\\w=])`, 'iy');
const USER_AND_PASSWORD = /^[\x20-\x7e\u00a0-\uffff]*:[\x20-\x7e\u00a0-\uffff]*$/;

/** Headers with credentials, wherever they are written; the scheme stays. */
export const authorization: Rule = {
  name: AUTHORIZATION,
  opens: ['authorization', 'bearer', 'basic[ %+]'],
  general: true,
  find({ text, at }) {
    const first = text[at]!.toLowerCase();
    if (first === 'a') return inHeader(text, at);
    const form = first === 'b' && /e/i.test(text[at + 1]!) ? BEARER : BASIC;
    const span = credentialAt(text, at, form);
    if (!span) return NOTHING;
    const credential = text.slice(span.start, span.end);
    return (form === BEARER ? isOpaque(credential) : isUserAndPassword(credential)) ? [span] : NOTHING;
  },
};

/** The credential in the value of such a header, which starts at a place of a text. */
export function credentialIn(text: string, at: number): readonly Span[] {
  const span = credentialAt(text, at, CREDENTIALS);
  return span && isOpaque(text.slice(span.start, span.end)) ? [span] : NOTHING;
}

function inHeader(text: string, at: number): readonly Span[] {
  const value = valueAfter(text, nameAt(text, at));
  if (!value || value.separator === 'told') return NOTHING;
  const start = text[value.start] === '[' ? value.start + 1 : value.start;
  return credentialIn(text, openingAt(text, start)?.start ?? start);
}

function credentialAt(text: string, at: number, form: RegExp): Span | undefined {
  form.lastIndex = at;
  const match = form.exec(text);
  if (!match) return undefined;
  const credential = match[1]!.replace(/[.:]+$/, '');
  const start = form.lastIndex - match[1]!.length;
  return { start, end: start + credential.length, rule: AUTHORIZATION };
}

/** Not a word of a sentence about authorization. */
function isOpaque(credential: string): boolean {
  if (isPlaceholder(credential)) return false;
  if (/\d/.test(credential)) return true;
  return credential.length >= 20 && /[a-z]/.test(credential) && /[A-Z]/.test(credential) && !/[a-z]-[a-z]/i.test(credential);
}

function isUserAndPassword(credential: string): boolean {
  return USER_AND_PASSWORD.test(Buffer.from(credential.slice(0, 512), 'base64').toString());
}
