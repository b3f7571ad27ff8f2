import type { Steps } from '../../base/async/cooperative.ts';
import { formatMarker, isInMarker, NO_SPANS, type Span, stripMarkers } from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';
import { addCount, type RuleCounts } from './counts.ts';
import { findDividedSpans } from './divided-token.ts';
import { findNamedSpans, findSpans } from './spans.ts';

export interface RedactSpansOptions {
  /** The member whose whole value the text is. */
  readonly name: string | undefined;
  readonly found: RuleCounts;
}

/** Replaces in one pass every span that a rule finds. */
export function* redactSpans(
  text: string,
  rules: RuleSet,
  { name, found }: RedactSpansOptions,
): Steps<string> {
  const spans = yield* findAllSpans(text, rules, name);
  for (const { rule } of spans) addCount(found, rule);
  return spans.length === 0 ? text : replaceSpans(text, spans);
}

function* findAllSpans(text: string, rules: RuleSet, name: string | undefined): Steps<readonly Span[]> {
  const named = name === undefined ? NO_SPANS : findNamedSpans(text, name, rules);
  const builtIn = yield* findSpans(text, rules);
  const divided = yield* findDividedSpans(text, rules);
  if (named.length === 0 && divided.length === 0 && rules.custom.length === 0) return builtIn;
  const all = [...named, ...builtIn, ...divided];
  for (const rule of rules.custom) {
    for (const span of yield* rule.findSpans(text)) if (isOutsideMarkers(text, span)) all.push(span);
  }
  return mergeOverlapping(all);
}

/** A custom pattern may match any text, but must not change the markers of other rules. */
function isOutsideMarkers(text: string, { start, end }: Span): boolean {
  const found = text.slice(start, end);
  return stripMarkers(found) === found && !isInMarker(text, start) && !isInMarker(text, end);
}

/** Sorts spans. Overlapping spans become one, under the rule of the first. */
function mergeOverlapping(spans: Span[]): readonly Span[] {
  const sorted = spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, rule } of spans) {
    pieces.push(text.slice(from, start), formatMarker(rule));
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}
