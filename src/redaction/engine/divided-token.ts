import type { Steps } from '../../base/async/cooperative.ts';
import { NO_SPANS, type Span } from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';
import { findSpans } from './spans.ts';

const ZERO_WIDTH = /[\u00ad\u200b-\u200d\u2060\ufeff]+/g;
/** RFC 2045, section 6.7: a line break after `=` is not part of the text. */
const SOFT_BREAK = /=\r?\n/g;
const QUOTED_PRINTABLE = /quoted-printable/i;

/** Finds the secrets that invisible characters or the soft line breaks of a mail divide. */
export function* findDividedSpans(text: string, rules: RuleSet): Steps<readonly Span[]> {
  const divider = selectDivider(text);
  if (!divider) return NO_SPANS;
  const pieces: string[] = [];
  /** Index in the joined text and in the text of the start of each piece. */
  const starts: { readonly joined: number; readonly at: number }[] = [];
  let joined = 0;
  let at = 0;
  for (const { index, 0: divided } of text.matchAll(divider)) {
    pieces.push(text.slice(at, index));
    joined += index - at;
    at = index + divided.length;
    starts.push({ joined, at });
  }
  pieces.push(text.slice(at));
  return locate(yield* findSpans(pieces.join(''), rules), starts);
}

function selectDivider(text: string): RegExp | undefined {
  if (text.search(ZERO_WIDTH) !== -1) return ZERO_WIDTH;
  return text.search(SOFT_BREAK) !== -1 && QUOTED_PRINTABLE.test(text) ? SOFT_BREAK : undefined;
}

/** Moves spans of the joined text to the text. Spans that nothing divides are found in the text itself. */
function locate(
  spans: readonly Span[],
  starts: readonly { readonly joined: number; readonly at: number }[],
): readonly Span[] {
  const located: Span[] = [];
  let piece = 0;
  let offset = 0;
  for (const { start, end, rule } of spans) {
    for (; piece < starts.length && starts[piece]!.joined <= start; piece++)
      offset = starts[piece]!.at - starts[piece]!.joined;
    const startOffset = offset;
    for (; piece < starts.length && starts[piece]!.joined < end; piece++)
      offset = starts[piece]!.at - starts[piece]!.joined;
    if (offset !== startOffset) located.push({ start: start + startOffset, end: end + offset, rule });
  }
  return located;
}
