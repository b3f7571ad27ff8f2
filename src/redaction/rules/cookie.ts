import { NOTHING, type RedactionRule, type Span } from '../rule.ts';
import { nameAt, valueAfter } from './named-secret/name-at.ts';
import { openingAt } from './named-secret/value-end.ts';
import { isDrawn } from './placeholder.ts';

export const COOKIE = 'cookie';

const PAIR = /[ \t]{0,4}([\w.%-]{1,80})=([^\s;,"'`\\<>=]{0,4096}={0,2})(?:;|(?=["'`\\\s]|$))/y;
const ATTRIBUTES = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
const SESSION = /sess|sid|auth|token|jwt|csrf|xsrf|remember|login|secret|key|ticket|user/i;
const SHORTEST = 6;
const SHORTEST_UNNAMED = 24;
const MOST_PAIRS = 64;

/** `Cookie` and `Set-Cookie`: values that open a session go, names and preferences stay. */
export const cookie: RedactionRule = {
  name: COOKIE,
  opens: ['cookie'],
  general: true,
  find({ text, at }) {
    const name = nameAt(text, at);
    const value = name && valueAfter(text, name);
    if (!value || value.separator === 'told' || value.separator === 'beside') return NOTHING;
    const start = text[value.start] === '[' ? value.start + 1 : value.start;
    return findCookies(text, openingAt(text, start)?.start ?? start);
  },
};

/** The secret values in a list of cookies that starts at a place of a text. */
export function findCookies(text: string, at: number): readonly Span[] {
  const spans: Span[] = [];
  PAIR.lastIndex = at;
  for (let i = 0; i < MOST_PAIRS; i++) {
    const from = PAIR.lastIndex;
    const match = PAIR.exec(text);
    if (!match) break;
    const [all, name, value] = match as unknown as [string, string, string];
    const start = from + all.indexOf('=') + 1;
    if (isSession(name, value)) spans.push({ start, end: start + value.length, rule: COOKIE });
    // Attributes without a value: `HttpOnly`, `Secure`.
    PAIR.lastIndex = skipBare(text, PAIR.lastIndex);
  }
  return spans;
}

const BARE = /(?:[ \t]{0,4}(?:httponly|secure|partitioned)(?:;|(?=["'`\\\s]|$)))+/iy;

function skipBare(text: string, at: number): number {
  BARE.lastIndex = at;
  return BARE.test(text) ? BARE.lastIndex : at;
}

function isSession(name: string, value: string): boolean {
  if (ATTRIBUTES.test(name) || !isDrawn(value) || !/\d/.test(value)) return false;
  return value.length >= (SESSION.test(name) ? SHORTEST : SHORTEST_UNNAMED);
}
