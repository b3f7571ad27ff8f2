import { runSync, type Steps } from '../../base/async/cooperative.ts';
import {
  isInMarker,
  NO_SPANS,
  type RedactionRule,
  type RuleInput,
  type Span,
  stripMarkers,
} from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';
import { findMemberSpans } from '../rules/named-secret/member-name.ts';
import { type Candidates, CLASS_BITS, type Prefilter, THREE_CLASSES } from './prefilter.ts';
import { extendWrapped } from './wrapped-token.ts';

const ONLY_BREAKS = /^(?:\s|\\+[nrt])*$/;
/** Characters scanned between two yields. A chunk takes half a millisecond, or some tens where the text is hostile. */
export const CHUNK_LENGTH = 65_536;
const chunk = Buffer.alloc(CHUNK_LENGTH);

/** What a text may contain, by its keywords: names of secrets, or only tokens with a form of their own. */
export type CandidateKind = 'none' | 'tokens' | 'names';

/** Runs only the prefilter. */
export function* classifyCandidates(text: string, { prefilter }: RuleSet): Steps<CandidateKind> {
  let kind: CandidateKind = 'none';
  const cursor: Cursor = { at: 0, end: 0, classes: 0 };
  for (let from = 0; from < text.length; from += CHUNK_LENGTH) {
    if (from > 0) yield;
    cursor.end = chunk.write(text.slice(from, from + CHUNK_LENGTH), 'latin1');
    for (cursor.at = 0; advanceToKeyword(cursor, chunk, prefilter); ) {
      const candidates = prefilter.candidates.get(cursor.classes)!;
      const rules = selectRules(text, from + cursor.at - 3, candidates);
      if (rules?.some(({ isContextual }) => isContextual)) return 'names';
      if (rules) kind = 'tokens';
    }
  }
  return kind;
}

/** Finds the spans of the built-in rules, in order and without overlap. */
export function findSpans(
  text: string,
  { prefilter }: RuleSet,
  chunkLength: number = CHUNK_LENGTH,
): Steps<readonly Span[]> {
  return scan(text, { prefilter, buffer: chunk.subarray(0, chunkLength), formsOnly: false });
}

/** Finds the spans that follow from the name of the member whose whole value the text is. */
export function findNamedSpans(text: string, name: string, rules: RuleSet): readonly Span[] {
  return findMemberSpans(text, name, rules).flatMap((span) => refineSpan(text, span, rules.prefilter));
}

interface ScanSettings {
  readonly prefilter: Prefilter;
  /** Reading bytes of a buffer is several times as fast as reading characters of a string. */
  readonly buffer: Buffer;
  /** Without contextual rules. */
  readonly formsOnly: boolean;
}

/** Scans in chunks for keywords; rules read the whole text, so that a secret may cross the end of a chunk. */
function* scan(text: string, settings: ScanSettings): Steps<readonly Span[]> {
  const { prefilter, buffer } = settings;
  const spans: Span[] = [];
  const cursor: Cursor = { at: 0, end: 0, classes: 0 };
  for (let from = 0; from < text.length; from += buffer.length) {
    if (from > 0) yield;
    // `latin1` writes the low byte of each character; the keyword patterns reject other characters with that byte.
    cursor.end = buffer.write(text.slice(from, from + buffer.length), 'latin1');
    for (cursor.at = 0; advanceToKeyword(cursor, buffer, prefilter); ) {
      const at = from + cursor.at - 3;
      const minStart = spans.at(-1)?.end ?? 0;
      if (at < minStart) continue;
      const rules = selectRules(text, at, prefilter.candidates.get(cursor.classes)!);
      if (rules) for (const span of applyRules({ text, at, minStart }, rules, settings)) spans.push(span);
    }
  }
  return spans;
}

interface Cursor {
  /** Index after the last byte read. */
  at: number;
  end: number;
  /** Packed classes of the last three bytes. */
  classes: number;
}

/** Advances until the last three bytes may start a keyword. Hot path: every text of every call passes this loop. */
function advanceToKeyword(cursor: Cursor, buffer: Buffer, { classes, isKeywordStart }: Prefilter): boolean {
  const { end } = cursor;
  let last = cursor.classes;
  let at = cursor.at;
  let isStart = 0;
  while (at < end && isStart === 0) {
    last = ((last << CLASS_BITS) | classes[buffer[at]!]!) & THREE_CLASSES;
    isStart = isKeywordStart[last]!;
    at++;
  }
  cursor.at = at;
  cursor.classes = last;
  return isStart !== 0;
}

/** Selects the rules with a complete keyword at an index. */
function selectRules(
  text: string,
  at: number,
  { anyKeyword, rules: candidates }: Candidates,
): readonly RedactionRule[] | undefined {
  if (!matchesAt(anyKeyword, text, at)) return undefined;
  const rules: RedactionRule[] = [];
  for (const { rule, keyword } of candidates) {
    if (!matchesAt(keyword, text, at)) continue;
    if (rule.isCandidate === undefined || rule.isCandidate(text, at)) rules.push(rule);
  }
  return rules.length > 0 ? rules : undefined;
}

function matchesAt(keyword: RegExp, text: string, at: number): boolean {
  keyword.lastIndex = at;
  return keyword.test(text);
}

/** Returns the spans of the first rule that finds any. */
function applyRules(
  input: RuleInput,
  rules: readonly RedactionRule[],
  { prefilter, formsOnly }: ScanSettings,
): readonly Span[] {
  const { text, at } = input;
  for (const rule of rules) {
    if (formsOnly && rule.isContextual) continue;
    const found = rule.find(input);
    if (found.length === 0) continue;
    if (isInMarker(text, at)) return NO_SPANS;
    const spans = found
      .map((span) => extendWrapped(text, excludeMarkers(text, span)))
      .filter(({ start, end }) => /[^\s\\:]/.test(stripMarkers(text.slice(start, end))));
    return rule.isContextual ? spans.flatMap((span) => refineSpan(text, span, prefilter)) : spans;
  }
  return NO_SPANS;
}

/** Cuts markers off the ends of a span: `://[redacted:x]@` has the form of a URL with a password. */
function excludeMarkers(text: string, { start, end, rule }: Span): Span {
  return {
    start: isInMarker(text, start) ? text.indexOf(']', start) + 1 : start,
    end: isInMarker(text, end) ? text.lastIndexOf('[', end) : end,
    rule,
  };
}

/** Reports a secret that was found by its context under the rule of its form, where its form is known too. */
function refineSpan(text: string, span: Span, prefilter: Prefilter): readonly Span[] {
  const value = text.slice(span.start, span.end);
  const buffer = Buffer.allocUnsafe(Math.min(value.length, CHUNK_LENGTH));
  const forms = runSync(scan(value, { prefilter, buffer, formsOnly: true }));
  if (forms.length === 0) return [span];
  const rest = forms.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), value);
  if (!ONLY_BREAKS.test(rest)) return [span];
  return forms.map(({ start, end, rule }) => ({ start: span.start + start, end: span.start + end, rule }));
}
