import { NO_SPANS, type RedactionRule, type Span } from '../rule.ts';
import { findValueStart, readName } from './named-secret/name-and-value.ts';
import { readOpeningQuote } from './named-secret/value-end.ts';
import { isPlausibleSecret } from './placeholder.ts';

export const COOKIE = 'cookie';

const PAIR = /[ \t]{0,4}([\w.%-]{1,80})=([^\s;,"'`\\<>=]{0,4096}={0,2})(?:;|(?=["'`\\\s]|$))/y;
const ATTRIBUTES = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
const SESSION_NAME = /sess|sid|auth|token|jwt|csrf|xsrf|remember|login|secret|key|ticket|user/i;
const MIN_SESSION_LENGTH = 6;
const MIN_OTHER_LENGTH = 24;
const MAX_PAIRS = 64;

/** `Cookie` and `Set-Cookie`: session values are redacted; names and preferences stay. */
export const cookie: RedactionRule = {
  name: COOKIE,
  keywords: ['cookie'],
  isContextual: true,
  find({ text, at }) {
    const name = readName(text, at);
    const value = name && findValueStart(text, name);
    if (!value || value.separator === 'sentence' || value.separator === 'adjacent') return NO_SPANS;
    const start = text[value.start] === '[' ? value.start + 1 : value.start;
    return findCookies(text, readOpeningQuote(text, start)?.start ?? start);
  },
};

/** Finds the secret values in a list of cookies that starts at an index. */
export function findCookies(text: string, at: number): readonly Span[] {
  const spans: Span[] = [];
  PAIR.lastIndex = at;
  for (let i = 0; i < MAX_PAIRS; i++) {
    const from = PAIR.lastIndex;
    const match = PAIR.exec(text);
    if (!match) break;
    const [all, name, value] = match as unknown as [string, string, string];
    const start = from + all.indexOf('=') + 1;
    if (isSessionCookie(name, value)) spans.push({ start, end: start + value.length, rule: COOKIE });
    // Attributes without a value, such as `HttpOnly` and `Secure`, are not pairs.
    PAIR.lastIndex = skipFlags(text, PAIR.lastIndex);
  }
  return spans;
}

const FLAGS = /(?:[ \t]{0,4}(?:httponly|secure|partitioned)(?:;|(?=["'`\\\s]|$)))+/iy;

function skipFlags(text: string, at: number): number {
  FLAGS.lastIndex = at;
  return FLAGS.test(text) ? FLAGS.lastIndex : at;
}

/** Whether a cookie identifies a session: by its name, or by a long random value. */
export function isSessionCookie(name: string, value: string): boolean {
  if (ATTRIBUTES.test(name) || !isPlausibleSecret(value) || !/\d/.test(value)) return false;
  return value.length >= (SESSION_NAME.test(name) ? MIN_SESSION_LENGTH : MIN_OTHER_LENGTH);
}
