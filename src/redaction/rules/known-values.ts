import type { Span } from '../rule.ts';
import type { CustomRule } from './custom-rule.ts';

/** Shorter values also occur inside of other words, and short numbers inside of other numbers. */
const MIN_LENGTH = 4;
const MIN_NUMBER_LENGTH = 6;
const NUMBER = /^[\d\s.+-]+$/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** Characters read between two yields to the event loop. */
const STEP_LENGTH = 65_536;

interface KnownValue {
  readonly text: string;
  readonly rule: string;
}

/** A node of a trie: values that share a prefix, split by their next character where there are many. */
interface TrieNode {
  readonly values: readonly KnownValue[];
  readonly next?: ReadonlyMap<string, TrieNode>;
}

const MAX_LEAF_VALUES = 16;
const MIN_TRIE_DEPTH = 2;
const MAX_TRIE_DEPTH = 64;

/** Makes a rule for values that are known to be sensitive, by value. It redacts them wherever they are whole words. */
export function makeKnownValuesRule(values: ReadonlyMap<string, string>): CustomRule | undefined {
  const known = [...values]
    .filter(([text]) => text.length >= (NUMBER.test(text) ? MIN_NUMBER_LENGTH : MIN_LENGTH))
    .map(([text, rule]): KnownValue => ({ text, rule }));
  if (known.length === 0) return undefined;
  const root = buildTrie(known, 0);
  return {
    name: 'known-values',
    *findSpans(text) {
      const spans: Span[] = [];
      let nextYield = STEP_LENGTH;
      for (let at = 0; at < text.length; at++) {
        if (at >= nextYield) {
          nextYield = at + STEP_LENGTH;
          yield;
        }
        const found = isInsideWord(text, at) ? undefined : findLongest(text, at, root);
        if (!found) continue;
        const end = at + found.text.length;
        spans.push({ start: at, end, rule: found.rule });
        at = end - 1;
      }
      return spans;
    },
  };
}

function buildTrie(values: readonly KnownValue[], depth: number): TrieNode {
  if (depth >= MAX_TRIE_DEPTH || (depth >= MIN_TRIE_DEPTH && values.length <= MAX_LEAF_VALUES))
    return { values };
  const groups = Map.groupBy(values, ({ text }) => text[depth]);
  const next = new Map<string, TrieNode>();
  for (const [unit, group] of groups) if (unit !== undefined) next.set(unit, buildTrie(group, depth + 1));
  return { values: groups.get(undefined) ?? [], next };
}

function findLongest(text: string, at: number, root: TrieNode): KnownValue | undefined {
  let longest: KnownValue | undefined;
  let node: TrieNode | undefined = root;
  for (let read = at; node; node = node.next?.get(text[read++] ?? '')) {
    for (const known of node.values) {
      const isLonger = known.text.length > (longest?.text.length ?? 0);
      if (isLonger && text.startsWith(known.text, at) && !isInsideWord(text, at + known.text.length))
        longest = known;
    }
  }
  return longest;
}

/** Whether an index lies inside of a word or a number. */
function isInsideWord(text: string, at: number): boolean {
  return LETTER_OR_DIGIT.test(text[at - 1] ?? '') && LETTER_OR_DIGIT.test(text[at] ?? '');
}
