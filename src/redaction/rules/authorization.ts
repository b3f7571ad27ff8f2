import { NOTHING, type RedactionRule, type Span } from '../rule.ts';
import { nameAt, valueAfter } from './named-secret/name-at.ts';
import { openingAt } from './named-secret/value-end.ts';
import { isPlaceholder } from './placeholder.ts';
import { isUserAndPassword } from './user-and-password.ts';

export const AUTHORIZATION = 'authorization';

const SPACE = '(?:[ \\t]{1,4}|%20|\\+)';
// RFC 9110, section 11.4: a scheme and one token. Lists of parameters, as Digest and AWS have, are not one.
const CREDENTIALS = new RegExp(`(?:[A-Za-z][\\w-]{1,24}${SPACE})?(?=[A-Za-z0-9])`, 'y');
const BEARER = new RegExp(`bearer${SPACE}(?=[A-Za-z0-9])`, 'iy');
const BASIC = new RegExp(`basic${SPACE}(?=[A-Za-z0-9])`, 'iy');
const HEAD = /[A-Za-z0-9._~+/:-]{8,256}/y;
const WHOLE = /[A-Za-z0-9._~+/:-]*={0,2}/y;
// A call, a parameter, a part of a placeholder.
const GOES_ON = /[\w={}$<(]/;

/** Headers with credentials, wherever they are written; the scheme stays. */
export const authorization: RedactionRule = {
  name: AUTHORIZATION,
  opens: ['authorization', 'bearer', 'basic ', 'basic%', 'basic+'],
  general: true,
  find({ text, at }) {
    if (/a/i.test(text[at]!)) return inHeader(text, at);
    return /e/i.test(text[at + 1]!)
      ? credentialAt(text, at, {
          scheme: BEARER,
          accepts: (credential) => credential.length >= 16 && isOpaque(credential),
        })
      : credentialAt(text, at, { scheme: BASIC, accepts: isUserAndPassword });
  },
};

/** The credential in the value of such a header, which starts at a place of a text. */
export function findCredential(text: string, at: number): readonly Span[] {
  return credentialAt(text, at, { scheme: CREDENTIALS, accepts: isOpaque });
}

function inHeader(text: string, at: number): readonly Span[] {
  const name = nameAt(text, at);
  const value = name && /authorization$/i.test(name.name) ? valueAfter(text, name) : undefined;
  if (!value || value.separator === 'told') return NOTHING;
  const start = text[value.start] === '[' ? value.start + 1 : value.start;
  return findCredential(text, openingAt(text, start)?.start ?? start);
}

interface Scheme {
  readonly scheme: RegExp;
  readonly accepts: (credential: string) => boolean;
}

/** The head of a credential decides: a long run is read to its end once, or not at all. */
function credentialAt(text: string, at: number, { scheme, accepts }: Scheme): readonly Span[] {
  scheme.lastIndex = at;
  if (!scheme.test(text)) return NOTHING;
  const start = scheme.lastIndex;
  HEAD.lastIndex = start;
  const head = HEAD.exec(text)?.[0];
  if (head === undefined || !accepts(head)) return NOTHING;
  WHOLE.lastIndex = start;
  const whole = WHOLE.exec(text)![0];
  if (GOES_ON.test(text[start + whole.length] ?? '')) return NOTHING;
  return [{ start, end: start + whole.replace(/[.:]+$/, '').length, rule: AUTHORIZATION }];
}

/** Not a word of a sentence about authorization, and not an expression that gives one. */
function isOpaque(credential: string): boolean {
  return (
    /\d/.test(credential) &&
    !/^[A-Za-z_]+\d?(?:\.[A-Za-z_]+\d?)+$|^https?:/.test(credential) &&
    !isPlaceholder(credential)
  );
}
