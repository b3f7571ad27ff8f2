import { runSync, type Steps } from '../../base/async/cooperative.ts';
import {
  isInMarker,
  NOTHING,
  type RedactionRule,
  type RuleInput,
  type Span,
  withoutMarkers,
} from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';
import { findSpansUnderName } from '../rules/named-secret/member-name.ts';
import { CLASS_BITS, type Prefilter, THREE_CLASSES } from './prefilter.ts';

const ONLY_BREAKS = /^(?:\s|\\+[nrt])*$/;
/** A piece of this length takes half a millisecond, and some tens where somebody wrote it to take long. */
export const PIECE = 65_536;
const piece = Buffer.alloc(PIECE);

/** What a text may hold, told from its openings: names of secrets, or only tokens that have a form of their own. */
export type CandidateFinder = 'nothing' | 'tokens' | 'names';

export function* candidateFinderFor(text: string, { prefilter }: RuleSet): Steps<CandidateFinder> {
  let outlook: CandidateFinder = 'nothing';
  const cursor: Cursor = { at: 0, end: 0, classes: 0 };
  for (let from = 0; from < text.length; from += PIECE) {
    if (from > 0) yield;
    cursor.end = piece.write(text.slice(from, from + PIECE), 'latin1');
    for (cursor.at = 0; toOpening(cursor, piece, prefilter); ) {
      const rules = suspectsAt(text, from + cursor.at - 3, cursor, prefilter);
      if (rules?.some(({ general }) => general)) return 'names';
      if (rules) outlook = 'tokens';
    }
  }
  return outlook;
}

/** What the built-in rules find in a text, in order and apart from each other. */
export function findSpans(
  text: string,
  { prefilter }: RuleSet,
  length: number = PIECE,
): Steps<readonly Span[]> {
  return scan(text, { prefilter, buffer: piece.subarray(0, length), formsOnly: false });
}

/** What the name of a member says of the text in it. */
export function findNamedSpans(text: string, name: string, rules: RuleSet): readonly Span[] {
  return findSpansUnderName(text, name, rules).flatMap((span) => sharpened(text, span, rules.prefilter));
}

interface Scan {
  readonly prefilter: Prefilter;
  /** Bytes are read several times as fast as the characters of a string. */
  readonly buffer: Buffer;
  readonly formsOnly: boolean;
}

/** A text is looked through piece by piece and never cut: whatever begins in a piece is read to its end. */
function* scan(text: string, settings: Scan): Steps<readonly Span[]> {
  const { prefilter, buffer } = settings;
  const spans: Span[] = [];
  const cursor: Cursor = { at: 0, end: 0, classes: 0 };
  for (let from = 0; from < text.length; from += buffer.length) {
    if (from > 0) yield;
    // The low byte of each character: what else has it is told apart by the openings.
    cursor.end = buffer.write(text.slice(from, from + buffer.length), 'latin1');
    for (cursor.at = 0; toOpening(cursor, buffer, prefilter); ) {
      const at = from + cursor.at - 3;
      const free = spans.at(-1)?.end ?? 0;
      const rules = at >= free ? suspectsAt(text, at, cursor, prefilter) : undefined;
      if (rules) for (const span of spansAt({ text, at, free }, rules, settings)) spans.push(span);
    }
  }
  return spans;
}

interface Cursor {
  /** Behind the last byte that was read. */
  at: number;
  end: number;
  /** Of the last three bytes. */
  classes: number;
}

/** Moves on until three bytes open something. Everything that passes the gateway passes this loop. */
function toOpening(cursor: Cursor, buffer: Buffer, { classes, isOpening }: Prefilter): boolean {
  const { end } = cursor;
  let last = cursor.classes;
  let at = cursor.at;
  let opens = 0;
  while (at < end && opens === 0) {
    last = ((last << CLASS_BITS) | classes[buffer[at]!]!) & THREE_CLASSES;
    opens = isOpening[last]!;
    at++;
  }
  cursor.at = at;
  cursor.classes = last;
  return opens !== 0;
}

/** The rules to be asked about a place, once the rest of an opening stands there too. */
function suspectsAt(
  text: string,
  at: number,
  { classes }: Cursor,
  { suspects }: Prefilter,
): readonly RedactionRule[] | undefined {
  const { opening, each } = suspects.get(classes)!;
  if (!standsAt(opening, text, at)) return undefined;
  const rules: RedactionRule[] = [];
  for (const suspect of each) {
    const { rule } = suspect;
    if (!standsAt(suspect.opening, text, at)) continue;
    if (rule.isWorthAsking === undefined || rule.isWorthAsking(text, at)) rules.push(rule);
  }
  return rules.length > 0 ? rules : undefined;
}

function standsAt(opening: RegExp, text: string, at: number): boolean {
  opening.lastIndex = at;
  return opening.test(text);
}

function spansAt(place: RuleInput, rules: readonly RedactionRule[], settings: Scan): readonly Span[] {
  for (const rule of rules) {
    if (settings.formsOnly && rule.general) continue;
    const found = rule.find(place);
    if (found.length === 0) continue;
    if (isInMarker(place.text, place.at)) return NOTHING;
    const fresh = found
      .map((span) => outsideMarkers(place.text, span))
      .filter(({ start, end }) => /[^\s\\:]/.test(withoutMarkers(place.text.slice(start, end))));
    return rule.general ? fresh.flatMap((span) => sharpened(place.text, span, settings.prefilter)) : fresh;
  }
  return NOTHING;
}

/** What of a span is not a part of a marker: `://[redacted:x]@` has the form of an address with a password. */
function outsideMarkers(text: string, { start, end, rule }: Span): Span {
  return {
    start: isInMarker(text, start) ? text.indexOf(']', start) + 1 : start,
    end: isInMarker(text, end) ? text.lastIndexOf('[', end) : end,
    rule,
  };
}

/** A secret that was found by its surroundings, under the name of its form where it has one. */
function sharpened(text: string, span: Span, prefilter: Prefilter): readonly Span[] {
  const value = text.slice(span.start, span.end);
  const buffer = Buffer.allocUnsafe(Math.min(value.length, PIECE));
  const forms = runSync(scan(value, { prefilter, buffer, formsOnly: true }));
  if (forms.length === 0) return [span];
  const rest = forms.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), value);
  if (!ONLY_BREAKS.test(rest)) return [span];
  return forms.map(({ start, end, rule }) => ({ start: span.start + start, end: span.start + end, rule }));
}
