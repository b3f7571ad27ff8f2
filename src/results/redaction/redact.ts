import { MARKED, marker, type Span } from './rule.ts';
import type { RuleSet } from './rule-set.ts';
import { spansIn } from './spans.ts';

/** How often each rule found something. */
export type Found = Readonly<Record<string, number>>;

export interface RedactedText {
  readonly text: string;
  readonly found: Found;
}

export const NONE_FOUND: Found = Object.freeze({});

// What stands next to a secret is judged anew once that is gone: two passes settle it, whatever the text.
const MOST_PASSES = 4;

/** A text without its secrets; the same string where it holds none. Redacting the outcome again changes nothing. */
export function redact(text: string, rules: RuleSet): RedactedText {
  let found = NONE_FOUND;
  let redacted = text;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const spans = merged([...spansIn(redacted, rules), ...ownSpansIn(redacted, rules)]);
    if (spans.length === 0) break;
    redacted = withMarkers(redacted, spans);
    found = added(found, spans);
  }
  return { text: redacted, found };
}

function ownSpansIn(text: string, { own }: RuleSet): Span[] {
  return own
    .flatMap((rule) => rule.spansIn(text))
    .filter(({ start, end }) => !touchesMarker(text, start, end));
}

const MARKER_BEFORE = /\[redacted:[a-z0-9-]*$/;

function touchesMarker(text: string, start: number, end: number): boolean {
  return text.slice(start, end).includes(MARKED) || MARKER_BEFORE.test(text.slice(Math.max(0, start - 64), start));
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

function added(found: Found, spans: readonly Span[]): Found {
  const counts: Record<string, number> = { ...found };
  for (const { rule } of spans) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}
