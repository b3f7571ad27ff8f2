import { NO_SPANS, type RedactionRule, type Span } from '../rule.ts';
import { findValueStart, readName } from './named-secret/name-and-value.ts';
import { readOpeningQuote } from './named-secret/value-end.ts';
import { isPlaceholder } from './placeholder.ts';
import { isUserAndPassword } from './user-and-password.ts';

export const AUTHORIZATION = 'authorization';

const SPACE = '(?:[ \\t]{1,4}|%20|\\+)';
// RFC 9110, section 11.4: a scheme and one token. Parameter lists, as in Digest and AWS, do not match.
const CREDENTIALS = new RegExp(`(?:[A-Za-z][\\w-]{1,24}${SPACE})?(?=[A-Za-z0-9])`, 'y');
const BEARER = new RegExp(`bearer(?::${SPACE}|${SPACE})(?=[A-Za-z0-9])`, 'iy');
const BASIC = new RegExp(`basic${SPACE}(?=[A-Za-z0-9])`, 'iy');
const HEAD = /[A-Za-z0-9._~+/:-]{8,256}/y;
const WHOLE = /[A-Za-z0-9._~+/:-]*={0,2}/y;
// Follows an identifier of code or a placeholder: a call, a parameter, a part of a template.
const CONTINUATION = /[\w={}$<(]/;

/** Credentials of authorization headers in any notation; the scheme stays. */
export const authorization: RedactionRule = {
  name: AUTHORIZATION,
  keywords: ['authorization', 'bearer', 'basic ', 'basic%', 'basic+'],
  isContextual: true,
  find({ text, at }) {
    if (/a/i.test(text[at]!)) return findInHeader(text, at);
    return /e/i.test(text[at + 1]!)
      ? matchCredential(text, at, {
          prefix: BEARER,
          accepts: (credential) => credential.length >= 16 && isOpaque(credential),
        })
      : matchCredential(text, at, { prefix: BASIC, accepts: isUserAndPassword });
  },
};

/** Finds the credential in a header value that starts at an index. */
export function findCredential(text: string, at: number): readonly Span[] {
  return matchCredential(text, at, { prefix: CREDENTIALS, accepts: isOpaque });
}

function findInHeader(text: string, at: number): readonly Span[] {
  const name = readName(text, at);
  const value = name && /authorization$/i.test(name.name) ? findValueStart(text, name) : undefined;
  if (!value || value.separator === 'sentence') return NO_SPANS;
  const start = text[value.start] === '[' ? value.start + 1 : value.start;
  return findCredential(text, readOpeningQuote(text, start)?.start ?? start);
}

interface CredentialForm {
  /** The scheme and the space after it. */
  readonly prefix: RegExp;
  readonly accepts: (credential: string) => boolean;
}

/** Decides by the head of a credential, so that a long run is read to its end at most once. */
function matchCredential(text: string, at: number, { prefix, accepts }: CredentialForm): readonly Span[] {
  prefix.lastIndex = at;
  if (!prefix.test(text)) return NO_SPANS;
  const start = prefix.lastIndex;
  HEAD.lastIndex = start;
  const head = HEAD.exec(text)?.[0];
  if (head === undefined || !accepts(head)) return NO_SPANS;
  WHOLE.lastIndex = start;
  const whole = WHOLE.exec(text)![0];
  if (CONTINUATION.test(text[start + whole.length] ?? '')) return NO_SPANS;
  return [{ start, end: start + whole.replace(/[.:]+$/, '').length, rule: AUTHORIZATION }];
}

/** Rejects words of a sentence about authorization, and expressions that evaluate to a credential. */
function isOpaque(credential: string): boolean {
  return (
    /\d/.test(credential) &&
    !/^[A-Za-z_]+\d?(?:\.[A-Za-z_]+\d?)+$|^https?:/.test(credential) &&
    !isPlaceholder(credential)
  );
}
