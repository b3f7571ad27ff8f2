import type { TextRange } from '../../../base/text/range.ts';
import { NO_SPANS, type RedactionRule, type Span } from '../../rule.ts';
import { readDelimited } from './delimited-value.ts';
import { findValueStart, type NameMatch, readName, readPhrase, type ValueMatch } from './name-and-value.ts';
import { findNearbyValue, isUnmistakable } from './nearby-value.ts';
import { hasRandomRun, isGenerated, isSecretValue, type ValueContext } from './secret-value.ts';
import { type NameClassifier, type NameKind, selectKeywords } from './sensitive-name.ts';
import type { Separator } from './separator.ts';
import { findBareEnd, findQuotedEnd, type OpeningQuote, type Reach, readOpeningQuote } from './value-end.ts';

export const NAMED_SECRET = 'named-secret';

/** Parts of the names of secrets. The whole name decides whether it is one. */
const KEYWORDS = [
  ...['pass', 'pwd', 'secret', 'token', 'key', 'sessid', 'sessionid', 'identified by', 'psk', '_salt'],
  ...['masterauth', 'wif:', 'wif='],
];
/** Too short, or part of many words: the character after the name is part of the keyword. */
const SHORT_KEYWORDS = ['pw', 'auth', '_pat'].flatMap((word) => [...'=:"\'\\ '].map((after) => word + after));
const INSPECTED_LENGTH = 96;

/** Endings of the names of secrets. A lower-case letter after it makes another word: `keyboard`, `tokens`, `passed`. */
const ENDING =
  /pass(?:w(?:or[dt]|d)s?|phrases?|codes?)?|pwds?|secrets?|token|keys(?=_)|key|sess(?:ion)?id|identified by|pw|auth|psks?|_salt|masterauth|_pat|wif/iy;

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
      if (!kind) return NO_SPANS;
      const value = findValueStart(text, name);
      if (value && value.start < minStart) return NO_SPANS;
      const spans = value ? findValueSpan(text, name, { ...value, kind }) : NO_SPANS;
      if (spans.length > 0 || (value && !VAGUE.has(value.separator)) || kind === 'login') return spans;
      const nearby = findNearbyValue(text, Math.max(name.end, minStart));
      return nearby ? [{ ...nearby, rule: NAMED_SECRET }] : NO_SPANS;
    },
  };
}

/** Notations that need not mean a value: another text in the line may be it. */
const VAGUE: ReadonlySet<Separator> = new Set(['sentence', 'quoted', 'argument', 'call']);

function isNameEnding(text: string, at: number): boolean {
  ENDING.lastIndex = at;
  return ENDING.test(text) && !/[a-z]/.test(text[ENDING.lastIndex] ?? '');
}

type ClassifiedValue = ValueMatch & { readonly kind: NameKind };

function findValueSpan(text: string, name: NameMatch, value: ClassifiedValue): readonly Span[] {
  if (value.separator === 'block') return findBlockSpan(text, name, value);
  const delimited = readDelimited(text, value.start);
  if (delimited) return findDelimitedSpan(text, delimited, value.kind);
  const opening = readOpeningQuote(text, value.start);
  if (opening) return findQuotedSpans(text, name, { ...value, opening });
  // An unquoted value in JSON is not a string.
  if (value.isQuotedName && value.separator === 'colon') return NO_SPANS;
  const wrapped = readWrappedQuote(text, value.start);
  if (wrapped) return findQuotedSpans(text, name, { ...value, separator: 'call', opening: wrapped });
  return findBracedSpan(text, value) ?? findListedSpan(text, value) ?? findBareSpan(text, name, value);
}

function findDelimitedSpan(text: string, { start, end }: TextRange, kind: NameKind): readonly Span[] {
  const isSecret = isSecretValue(text.slice(start, end), { kind, context: 'quoted' });
  return isSecret ? [{ start, end, rule: NAMED_SECRET }] : NO_SPANS;
}

// `api_key=[…]`, `token: (…)`
const LISTED = /[[(]([^\s"'`,;()<>{}[\]|]{8,256})[\])]/y;

function findListedSpan(text: string, { start }: ClassifiedValue): readonly Span[] | undefined {
  LISTED.lastIndex = start;
  const inside = /[[(]/.test(text[start] ?? '') ? LISTED.exec(text)?.[1] : undefined;
  if (inside === undefined || !isUnmistakable(inside)) return undefined;
  return [{ start: start + 1, end: start + 1 + inside.length, rule: NAMED_SECRET }];
}

// `Some("…")`, `sensitive("…")`, `Secret::new("…")`
const WRAPPER = /(?:(?:new )?[A-Z]\w{0,30}(?:::\w{1,20})?|sensitive|secret)\((?=["'])/y;

function readWrappedQuote(text: string, at: number): OpeningQuote | undefined {
  WRAPPER.lastIndex = at;
  return WRAPPER.test(text) ? readOpeningQuote(text, WRAPPER.lastIndex) : undefined;
}

type QuotedValue = ClassifiedValue & { readonly opening: OpeningQuote };

// The old and the new value in a plan of changes: `"…" -> "…"`.
const CHANGE = /["'][ \t]{1,4}(?:->|=>|→)[ \t]{1,4}(?=["'])/y;

function findQuotedSpans(text: string, name: NameMatch, value: QuotedValue): readonly Span[] {
  const { opening, kind } = value;
  const end = findQuotedEnd(text, opening);
  const isPhrase = /phrase/i.test(name.name);
  const inside = text.slice(opening.start, end);
  if (!isSecretValue(inside, { kind, context: 'quoted', isPhrase })) return NO_SPANS;
  if (!isIntendedValue(name, value, inside)) return NO_SPANS;
  const span = { start: opening.start, end, rule: NAMED_SECRET };
  CHANGE.lastIndex = end;
  const changed = CHANGE.test(text) ? readOpeningQuote(text, CHANGE.lastIndex) : undefined;
  return changed ? [span, ...findQuotedSpans(text, name, { ...value, opening: changed })] : [span];
}

// ODBC: a value in braces may contain any character, with a closing brace doubled.
const BRACED = /\{((?:[^{}\n]|\}\}){1,128})\}(?=[;"'\s]|$)/y;
// A replacement field of a format string: `{password}`, `{password!r}`, `{config.password:>20}`.
const REPLACEMENT = /^[\w.-]+(?:![rsa](?::.*)?|[:([].*)?$/;

function findBracedSpan(
  text: string,
  { start, separator, kind }: ClassifiedValue,
): readonly Span[] | undefined {
  if (separator !== 'assigned' || kind !== 'password' || text[start] !== '{') return undefined;
  BRACED.lastIndex = start;
  const inside = BRACED.exec(text)?.[1];
  if (inside === undefined || (REPLACEMENT.test(inside) && !isUnmistakable(inside))) return undefined;
  return [{ start: start + 1, end: start + 1 + inside.length, rule: NAMED_SECRET }];
}

/** The lines below a name in YAML, as far as they are indented deeper than its line. */
function findBlockSpan(text: string, name: NameMatch, { start, kind }: ClassifiedValue): readonly Span[] {
  const lineStart = text.lastIndexOf('\n', name.start - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart, lineStart + 64))![0].length;
  const line = new RegExp(`[ \\t]{${indent + 1},}([^\\s][^\\n]*)(?:\\n|$)`, 'y');
  line.lastIndex = start;
  const first = line.exec(text)?.[1]?.trimEnd();
  const context = first && /\s/.test(first) ? 'quoted' : 'line';
  if (first === undefined || !isSecretValue(first, { kind, context })) return NO_SPANS;
  const from = text.indexOf(first, start);
  let end = from + first.length;
  for (let next = line.exec(text); next; next = line.exec(text)) {
    end = next.index + next[0].trimEnd().length;
  }
  return [{ start: from, end, rule: NAMED_SECRET }];
}

/** "Pass 'x' to it" and `get('token', 'x')` need not name a secret: there the value must look like one. */
function isIntendedValue({ name }: NameMatch, { separator, kind }: ClassifiedValue, value: string): boolean {
  if (separator === 'call') return isGenerated(value) && (kind !== 'secret' || hasRandomRun(value));
  if (separator !== 'quoted' && separator !== 'argument') return true;
  if (/psk$/i.test(name)) return true;
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
  if (isLineStart(text, name.start))
    return [{ start, end: skipContinuations(text, end), rule: NAMED_SECRET }];
  return [{ start, end, rule: NAMED_SECRET }];
}

// A properties file continues a value after a backslash at the end of its line.
const CONTINUATION = /\\\r?\n[ \t]*[^\s"'`=\\]{1,512}(?=\r?\n|$|\\\r?\n)/y;

function skipContinuations(text: string, end: number): number {
  CONTINUATION.lastIndex = text[end - 1] === '\\' ? end - 1 : end;
  let last = end;
  while (CONTINUATION.test(text)) last = CONTINUATION.lastIndex;
  return last;
}

/** Whether a value is part of a call, an index, a template or a compound name: `getToken()`, `keys[0]`, `${TOKEN}`, `arn:…`. */
function isPartOfExpression(text: string, name: NameMatch, { start, end }: TextRange): boolean {
  if (/[([]/.test(text[end] ?? '') || text.startsWith('${', end - 1)) return true;
  // `${NAME:?message}` and `${NAME:+text}` of a shell.
  if (text.startsWith('${', name.start - 2) && /[?+]/.test(text[start]!)) return true;
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
