import type { TextRange } from '../../../base/text/range.ts';
import { NO_SPANS, type RedactionRule, type Span } from '../../rule.ts';
import { findValueStart, type NameMatch, readName, readPhrase, type ValueMatch } from './name-and-value.ts';
import { hasRandomRun, isSecretValue, type ValueContext } from './secret-value.ts';
import { type NameClassifier, type NameKind, selectKeywords } from './sensitive-name.ts';
import { findBareEnd, findQuotedEnd, type Reach, readOpeningQuote } from './value-end.ts';

export const NAMED_SECRET = 'named-secret';

/** Parts of the names of secrets. The whole name decides whether it is one. */
const KEYWORDS = ['pass', 'pwd', 'secret', 'token', 'key', 'sessid', 'sessionid', 'identified by'];
/** Too short, or part of many words: the character after the name is part of the keyword. */
const SHORT_KEYWORDS = ['pw', 'auth'].flatMap((word) => [...'=:"\'\\ '].map((after) => word + after));
const INSPECTED_LENGTH = 96;

/** Endings of the names of secrets. A lower-case letter after it makes another word: `keyboard`, `tokens`, `passed`. */
const ENDING = /pass(?:w(?:or[dt]|d)|phrase)?|pwd|secret|token|key|sess(?:ion)?id|identified by|pw|auth/iy;

/** `password=…`, `"apiKey": "…"`, `--token …`: the value is redacted, the name stays. */
export function makeNamedSecretRule(extra: readonly string[], classifyName: NameClassifier): RedactionRule {
  return {
    name: NAMED_SECRET,
    keywords: [...KEYWORDS, ...SHORT_KEYWORDS, ...extra.flatMap(selectKeywords)],
    isContextual: true,
    // The keyword of a name from the configuration can be any part of it, not only an ending.
    ...(extra.length === 0 && { isCandidate: isNameEnding }),
    find({ text, at, minStart }) {
      const name = readName(text, at);
      const kind = name && (classifyName(name.name) ?? classifyName(readPhrase(text, name) ?? ''));
      const value = kind && findValueStart(text, name);
      if (!value || value.start < minStart) return NO_SPANS;
      return findValueSpan(text, name, { ...value, kind });
    },
  };
}

function isNameEnding(text: string, at: number): boolean {
  ENDING.lastIndex = at;
  return ENDING.test(text) && !/[a-z]/.test(text[ENDING.lastIndex] ?? '');
}

type ClassifiedValue = ValueMatch & { readonly kind: NameKind };

function findValueSpan(text: string, name: NameMatch, value: ClassifiedValue): readonly Span[] {
  const opening = readOpeningQuote(text, value.start);
  if (opening) {
    const end = findQuotedEnd(text, opening);
    const isPhrase = /phrase/i.test(name.name);
    const inside = text.slice(opening.start, end);
    if (!isSecretValue(inside, { kind: value.kind, context: 'quoted', isPhrase })) return NO_SPANS;
    if (!isIntendedValue(name, value, inside)) return NO_SPANS;
    return [{ start: opening.start, end, rule: NAMED_SECRET }];
  }
  // An unquoted value in JSON is not a string.
  if (value.isQuotedName && value.separator === 'colon') return NO_SPANS;
  return findBareSpan(text, name, value);
}

/** "Pass 'x' to it" and `get('token', 'x')` need not name a secret: there the value must look like one. */
function isIntendedValue({ name }: NameMatch, { separator, kind }: ClassifiedValue, value: string): boolean {
  if (separator !== 'quoted' && separator !== 'argument') return true;
  if (kind === 'secret' || name.length <= 4) return hasRandomRun(value);
  return separator === 'quoted' || /[^A-Za-z\s]/.test(value);
}

function findBareSpan(
  text: string,
  name: NameMatch,
  { start, separator, kind }: ClassifiedValue,
): readonly Span[] {
  const reach = determineReach(text, name, separator);
  const inspected = findBareEnd(text, start, { reach, limit: INSPECTED_LENGTH });
  if (inspected === start || isPartOfExpression(text, name, { start, end: inspected })) return NO_SPANS;
  const context = determineContext(text, name, { separator, end: inspected, reach });
  if (!isSecretValue(text.slice(start, inspected), { kind, context })) return NO_SPANS;
  const isWhole = inspected - start < INSPECTED_LENGTH / 2;
  const end = isWhole ? inspected : findBareEnd(text, start, { reach, limit: text.length });
  return [{ start, end, rule: NAMED_SECRET }];
}

/** Whether a value is part of a call, an index, a template or a compound name: `getToken()`, `keys[0]`, `${TOKEN}`, `arn:…`. */
function isPartOfExpression(text: string, name: NameMatch, { start, end }: TextRange): boolean {
  if (/[([]/.test(text[end] ?? '') || text.startsWith('${', end - 1)) return true;
  return text[start - 1] === ':' && /[:/]/.test(text[name.start - 1] ?? '');
}

const ENVIRONMENT = /^[A-Z][A-Z0-9_]*$/;
const LINE_START = /(?:^|\n|\\n)[ \t>*$-]{0,24}(?:(?:export|set|setx|ENV|-e|--env) )?$/;
const MEMBER_START = /;[ \t]{0,4}$/;

function isLineStart(text: string, at: number): boolean {
  return LINE_START.test(text.slice(Math.max(0, at - 40), at));
}

function determineReach(text: string, { name, start }: NameMatch, separator: string): Reach {
  if (separator !== 'assigned') return 'word';
  if (MEMBER_START.test(text.slice(Math.max(0, start - 6), start))) return 'member';
  return ENVIRONMENT.test(name) && isLineStart(text, start) ? 'line' : 'word';
}

interface BareValue {
  readonly separator: ValueMatch['separator'];
  readonly end: number;
  readonly reach: Reach;
}

function determineContext(
  text: string,
  { start }: NameMatch,
  { separator, end, reach }: BareValue,
): ValueContext {
  if (separator === 'sentence') return 'sentence';
  if (separator === 'pair' || reach !== 'word') return 'setting';
  const next = text[end] ?? '\n';
  if (separator === 'assigned') return /[,).;]/.test(next) ? 'loose' : 'setting';
  return separator === 'colon' && isLineStart(text, start) && /[\r\n\\]/.test(next) ? 'line' : 'loose';
}
