import { runSync, type Steps } from '../base/async/cooperative.ts';
import type { RuleCounts } from './engine/counts.ts';
import { mapStrings } from './engine/map-strings.ts';
import { makeStringRedactor } from './redact.ts';
import type { RuleSet } from './rule-set.ts';

export interface RedactedValue {
  readonly value: unknown;
  readonly found: Readonly<RuleCounts>;
}

/** Redacts the strings of a structured value, not names and numbers. Returns the same value where it has no secret. */
export function redactJson(value: unknown, rules: RuleSet): RedactedValue {
  return runSync(redactJsonInSteps(value, rules));
}

/** `redactJson` in steps, for values of any size. */
export function* redactJsonInSteps(value: unknown, rules: RuleSet): Steps<RedactedValue> {
  const found: RuleCounts = {};
  return { value: yield* mapStrings(value, makeStringRedactor(rules, found)), found };
}
