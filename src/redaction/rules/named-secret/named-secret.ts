import { NOTHING, type RedactionRule, type Span } from '../../rule.ts';
import { type NameFound, nameAt, phraseAt, type ValueFound, valueAfter } from './name-at.ts';
import { isRandom, isSecretValue, type Standing } from './secret-value.ts';
import { type KindOf, type NameKind, opensOf } from './sensitive-name.ts';
import { endOfBare, endOfQuoted, openingAt, type Reach } from './value-end.ts';

export const NAMED_SECRET = 'named-secret';

/** What names of secrets hold; which of them are such names is told by the whole name. */
const WORDS = ['pass', 'pwd', 'secret', 'token', 'key', 'sessid', 'sessionid', 'identified by'];
/** Short, or part of many words: what follows a name is asked for too. */
const SHORT_WORDS = ['pw', 'auth'].flatMap((word) => [...'=:"\'\\ '].map((after) => word + after));
const JUDGED = 96;

/** How names of secrets end. A word that goes on in small letters is another one: `keyboard`, `tokens`, `passed`. */
const ENDING = /pass(?:w(?:or[dt]|d)|phrase)?|pwd|secret|token|key|sess(?:ion)?id|identified by|pw|auth/iy;

/** `password=…`, `"apiKey": "…"`, `--token …`: the value goes, the name stays. */
export function namedSecretRule(extra: readonly string[], kindOf: KindOf): RedactionRule {
  return {
    name: NAMED_SECRET,
    opens: [...WORDS, ...SHORT_WORDS, ...extra.flatMap(opensOf)],
    general: true,
    // Of a name that an operator added any part may be the opening.
    ...(extra.length === 0 && { isWorthAsking: isEnding }),
    find({ text, at, free }) {
      const found = nameAt(text, at);
      const kind = found && (kindOf(found.name) ?? kindOf(phraseAt(text, found) ?? ''));
      const value = kind && valueAfter(text, found);
      if (!value || value.start < free) return NOTHING;
      return valueSpan(text, found, { ...value, kind });
    },
  };
}

function isEnding(text: string, at: number): boolean {
  ENDING.lastIndex = at;
  return ENDING.test(text) && !/[a-z]/.test(text[ENDING.lastIndex] ?? '');
}

type Judged = ValueFound & { readonly kind: NameKind };

function valueSpan(text: string, found: NameFound, value: Judged): readonly Span[] {
  const opening = openingAt(text, value.start);
  if (opening) {
    const end = endOfQuoted(text, opening);
    const isPhrase = /phrase/i.test(found.name);
    const inside = text.slice(opening.start, end);
    if (!isSecretValue(inside, { kind: value.kind, standing: 'quoted', isPhrase })) return NOTHING;
    if (!isMeant(found, value, inside)) return NOTHING;
    return [{ start: opening.start, end, rule: NAMED_SECRET }];
  }
  // In JSON what stands without quotes is no string.
  if (value.isQuotedName && value.separator === 'colon') return NOTHING;
  return bareSpan(text, found, value);
}

/** "Pass 'x' to it", `get('token', 'x')`: what stands there may be anything that does not look like a secret. */
function isMeant({ name }: NameFound, { separator, kind }: Judged, value: string): boolean {
  if (separator !== 'quoted' && separator !== 'argument') return true;
  if (kind === 'secret' || name.length <= 4) return isRandom(value);
  return separator === 'quoted' || /[^A-Za-z\s]/.test(value);
}

function bareSpan(text: string, found: NameFound, { start, separator, kind }: Judged): readonly Span[] {
  const reach = reachOf(text, found, separator);
  const judged = endOfBare(text, start, reach, JUDGED);
  if (judged === start || isPartOfMore(text, found, { start, end: judged })) return NOTHING;
  const standing = standingOf(text, found, { separator, end: judged, reach });
  if (!isSecretValue(text.slice(start, judged), { kind, standing })) return NOTHING;
  const end = judged - start < JUDGED / 2 ? judged : endOfBare(text, start, reach, text.length);
  return [{ start, end, rule: NAMED_SECRET }];
}

/** A call, an element of a list, a variable, a name made of several: `getToken()`, `keys[0]`, `${TOKEN}`, `arn:aws:…:secret:…`. */
function isPartOfMore(text: string, found: NameFound, { start, end }: Omit<Span, 'rule'>): boolean {
  if (/[([]/.test(text[end] ?? '') || text.startsWith('${', end - 1)) return true;
  return text[start - 1] === ':' && /[:/]/.test(text[found.start - 1] ?? '');
}

const ENVIRONMENT = /^[A-Z][A-Z0-9_]*$/;
const LINE_START = /(?:^|\n|\\n)[ \t>*$-]{0,24}(?:(?:export|set|setx|ENV|-e|--env) )?$/;
const MEMBER_START = /;[ \t]{0,4}$/;

function isLineStart(text: string, at: number): boolean {
  return LINE_START.test(text.slice(Math.max(0, at - 40), at));
}

function reachOf(text: string, { name, start }: NameFound, separator: string): Reach {
  if (separator !== 'assigned') return 'word';
  if (MEMBER_START.test(text.slice(Math.max(0, start - 6), start))) return 'member';
  return ENVIRONMENT.test(name) && isLineStart(text, start) ? 'line' : 'word';
}

interface Bare {
  readonly separator: ValueFound['separator'];
  readonly end: number;
  readonly reach: Reach;
}

function standingOf(text: string, { start }: NameFound, { separator, end, reach }: Bare): Standing {
  if (separator === 'told') return 'told';
  if (separator === 'pair' || reach !== 'word') return 'bare';
  const next = text[end] ?? '\n';
  if (separator === 'assigned') return /[,).;]/.test(next) ? 'loose' : 'bare';
  return separator === 'colon' && isLineStart(text, start) && /[\r\n\\]/.test(next) ? 'line' : 'loose';
}
