import { MARKED, NOTHING, type Place, type Span } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

const LONGEST_MARKER = 64;
const INSIDE_MARKER = /\[redacted:[a-z0-9-]*$/;
const ONLY_BREAKS = /^(?:\s|\\+[nrt])*$/;

/** What the built-in rules find in a text, in order and apart from each other. */
export function spansIn(text: string, rules: RuleSet): readonly Span[] {
  return scan(text, rules, false);
}

function scan(text: string, rules: RuleSet, formsOnly: boolean): readonly Span[] {
  const { suspicion } = rules;
  if (!suspicion) return NOTHING;
  suspicion.lastIndex = 0;
  let hit = suspicion.exec(text);
  if (!hit) return NOTHING;
  const spans: Span[] = [];
  for (let free = 0; hit; hit = suspicion.exec(text)) {
    const at = hit.index;
    const found = spansAt({ text, at, free }, rules, formsOnly);
    for (const span of found) spans.push(span);
    free = found.at(-1)?.end ?? free;
    suspicion.lastIndex = Math.max(at + 1, free);
  }
  return spans;
}

function spansAt(place: Place, rules: RuleSet, formsOnly: boolean): readonly Span[] {
  const { text, at } = place;
  // Only ASCII opens a rule, and this bit is what parts its cases.
  for (const rule of rules.rulesAt.get(text.charCodeAt(at) | 0x20) ?? []) {
    if (formsOnly && rule.general) continue;
    const found = rule.find(place);
    if (found.length === 0) continue;
    if (INSIDE_MARKER.test(text.slice(Math.max(0, at - LONGEST_MARKER), at))) return NOTHING;
    const fresh = found.filter(({ start, end }) => !text.slice(start, end).includes(MARKED));
    return rule.general ? fresh.flatMap((span) => sharpened(text, span, rules)) : fresh;
  }
  return NOTHING;
}

/** A secret that was found by its surroundings, under the name of its form where it has one. */
function sharpened(text: string, span: Span, rules: RuleSet): readonly Span[] {
  const value = text.slice(span.start, span.end);
  const forms = scan(value, rules, true);
  if (forms.length === 0) return [span];
  const rest = forms.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), value);
  if (!ONLY_BREAKS.test(rest)) return [span];
  return forms.map(({ start, end, rule }) => ({ start: span.start + start, end: span.start + end, rule }));
}
