import { runSync, type Steps } from '../base/async/cooperative.ts';
import type { Counts, Found } from './engine/found.ts';
import { mapStrings } from './engine/map-strings.ts';
import { stringRedaction } from './redact.ts';
import type { RuleSet } from './rule-set.ts';

export interface RedactedValue {
  readonly value: unknown;
  readonly found: Found;
}

/** A structured value without its secrets. Names and numbers stay, and it is the same value where it holds none. */
export function redactJson(value: unknown, rules: RuleSet): RedactedValue {
  return runSync(jsonRedaction(value, rules));
}

/** The same in steps, for values of any size. */
export function* jsonRedaction(value: unknown, rules: RuleSet): Steps<RedactedValue> {
  const found: Counts = {};
  return { value: yield* mapStrings(value, stringRedaction(rules, found)), found };
}
