import type { Steps } from '../../base/async/cooperative.ts';
import { isInMarker, marker, NOTHING, type Span, withoutMarkers } from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';
import { type Counts, count } from './found.ts';
import { findNamedSpans, findSpans } from './spans.ts';

export interface Around {
  /** Of the member in which the text stands alone. */
  readonly name: string | undefined;
  readonly found: Counts;
}

/** A text without what the rules find in it, in one pass. */
export function* redactSpans(text: string, rules: RuleSet, { name, found }: Around): Steps<string> {
  const spans = yield* allSpansIn(text, rules, name);
  for (const { rule } of spans) count(found, rule);
  return spans.length === 0 ? text : withMarkers(text, spans);
}

function* allSpansIn(text: string, rules: RuleSet, name: string | undefined): Steps<readonly Span[]> {
  const named = name === undefined ? NOTHING : findNamedSpans(text, name, rules);
  const told = yield* findSpans(text, rules);
  if (named.length === 0 && rules.custom.length === 0) return told;
  const all = [...named, ...told];
  for (const rule of rules.custom) {
    for (const span of yield* rule.spansIn(text)) if (isOutside(text, span)) all.push(span);
  }
  return merged(all);
}

/** A pattern may match anything; what the rules wrote is not for it. */
function isOutside(text: string, { start, end }: Span): boolean {
  const found = text.slice(start, end);
  return withoutMarkers(found) === found && !isInMarker(text, start) && !isInMarker(text, end);
}

/** In order, and where two overlap as one, under the name of the first. */
function merged(spans: Span[]): readonly Span[] {
  const ordered = spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const apart: Span[] = [];
  for (const span of ordered) {
    const last = apart.at(-1);
    if (!last || span.start >= last.end) apart.push(span);
    else if (span.end > last.end) apart[apart.length - 1] = { ...last, end: span.end };
  }
  return apart;
}

function withMarkers(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, rule } of spans) {
    pieces.push(text.slice(from, start), marker(rule));
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}
