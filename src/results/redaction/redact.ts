import { isInMarker, marker, NOTHING, type Span, withoutMarkers } from './rule.ts';
import type { RuleSet } from './rule-set.ts';
import { namedSpansIn, spansIn } from './spans.ts';

/** How often each rule found something. */
export type Found = Readonly<Record<string, number>>;

export interface RedactedText {
  readonly text: string;
  readonly found: Found;
}

export const NONE_FOUND: Found = Object.freeze({});

// What stands around a secret is judged anew once that is gone. One more pass settles it, but nothing proves that.
const MOST_PASSES = 4;

/**
 * A text without its secrets; the same string where it holds none. Redacting the outcome again changes nothing. `name` is
 * that of the member in which the text stands alone.
 */
export function redact(text: string, rules: RuleSet, name?: string): RedactedText {
  const found: Record<string, number> = {};
  let redacted = text;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const spans = allSpansIn(redacted, rules, name);
    if (spans.length === 0) break;
    redacted = withMarkers(redacted, spans);
    for (const { rule } of spans) found[rule] = (found[rule] ?? 0) + 1;
  }
  return { text: redacted, found: redacted === text ? NONE_FOUND : found };
}

function allSpansIn(text: string, rules: RuleSet, name: string | undefined): readonly Span[] {
  const named = name === undefined ? NOTHING : namedSpansIn(text, name, rules);
  const told = spansIn(text, rules);
  if (named.length === 0 && rules.own.length === 0) return told;
  return merged([...named, ...told, ...ownSpansIn(text, rules)]);
}

function ownSpansIn(text: string, { own }: RuleSet): Span[] {
  return own.flatMap((rule) => rule.spansIn(text)).filter(({ start, end }) => isOutside(text, start, end));
}

/** A pattern may match anything; what the rules wrote is not for it. */
function isOutside(text: string, start: number, end: number): boolean {
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

export function addFound(found: Found, more: Found): Found {
  if (more === NONE_FOUND) return found;
  const sum: Record<string, number> = { ...found };
  for (const [rule, count] of Object.entries(more)) sum[rule] = (sum[rule] ?? 0) + count;
  return sum;
}
