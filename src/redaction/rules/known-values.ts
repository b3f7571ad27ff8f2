import type { Span } from '../rule.ts';
import type { CustomRule } from './custom-rule.ts';

/** Shorter ones stand in other words, and short numbers in other numbers. */
const SHORTEST = 4;
const SHORTEST_NUMBER = 6;
const NUMBER = /^[\d\s.+-]+$/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const PIECE = 65_536;

interface Known {
  readonly text: string;
  readonly rule: string;
}

/** Values that begin alike: few of them, or one more character of each tells them apart. */
interface Branch {
  readonly values: readonly Known[];
  readonly next?: ReadonlyMap<string, Branch>;
}

const FEW = 16;
const FEWEST_TOLD_BY = 2;
const MOST_TOLD_BY = 64;

/** A rule for texts that are known to be sensitive, and what they are: they go wherever they stand as words of their own. */
export function knownValues(values: ReadonlyMap<string, string>): CustomRule | undefined {
  const known = [...values]
    .filter(([text]) => text.length >= (NUMBER.test(text) ? SHORTEST_NUMBER : SHORTEST))
    .map(([text, rule]): Known => ({ text, rule }));
  if (known.length === 0) return undefined;
  const root = branchOf(known, 0);
  return {
    name: 'known-values',
    *spansIn(text) {
      const spans: Span[] = [];
      let turn = PIECE;
      for (let at = 0; at < text.length; at++) {
        if (at >= turn) {
          turn = at + PIECE;
          yield;
        }
        const found = isWithin(text, at) ? undefined : longestAt(text, at, root);
        if (!found) continue;
        const end = at + found.text.length;
        spans.push({ start: at, end, rule: found.rule });
        at = end - 1;
      }
      return spans;
    },
  };
}

function branchOf(values: readonly Known[], depth: number): Branch {
  if (depth >= MOST_TOLD_BY || (depth >= FEWEST_TOLD_BY && values.length <= FEW)) return { values };
  const groups = Map.groupBy(values, ({ text }) => text[depth]);
  const next = new Map<string, Branch>();
  for (const [unit, group] of groups) if (unit !== undefined) next.set(unit, branchOf(group, depth + 1));
  return { values: groups.get(undefined) ?? [], next };
}

function longestAt(text: string, at: number, root: Branch): Known | undefined {
  let longest: Known | undefined;
  let branch: Branch | undefined = root;
  for (let read = at; branch; branch = branch.next?.get(text[read++] ?? '')) {
    for (const known of branch.values) {
      const isLonger = known.text.length > (longest?.text.length ?? 0);
      if (isLonger && text.startsWith(known.text, at) && !isWithin(text, at + known.text.length))
        longest = known;
    }
  }
  return longest;
}

/** Whether a place lies inside of a word or a number. */
function isWithin(text: string, at: number): boolean {
  return LETTER_OR_DIGIT.test(text[at - 1] ?? '') && LETTER_OR_DIGIT.test(text[at] ?? '');
}
