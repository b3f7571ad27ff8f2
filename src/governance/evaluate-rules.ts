import type { Decision, Reason } from '../contract/call/decision.ts';
import type { DecisionRequest, Rule } from './rule.ts';

/** The reasons of all rules that apply. A rule that throws counts against the call. */
export function evaluateRules(rules: readonly Rule[], request: DecisionRequest): readonly Reason[] {
  return rules.map((rule) => evaluateRule(rule, request)).filter((reason) => reason !== undefined);
}

/** Deny overrides ask, ask overrides allow, and a call that no rule allows is denied. */
export function combineReasons(reasons: readonly Reason[]): Decision {
  const has = (effect: Reason['effect']): boolean => reasons.some((reason) => reason.effect === effect);
  if (has('deny') || has('not_evaluated')) return { effect: 'deny', reasons, obligations: [] };
  if (has('ask')) return { effect: 'ask', reasons, obligations: [] };
  if (has('allow')) return { effect: 'allow', reasons, obligations: [] };
  const noRule: Reason = { rule: 'default', effect: 'deny', text: 'no rule allows this' };
  return { effect: 'deny', reasons: [noRule], obligations: [] };
}

function evaluateRule(rule: Rule, request: DecisionRequest): Reason | undefined {
  try {
    const reason = rule.evaluate(request);
    return reason && { rule: rule.name, ...reason };
  } catch {
    return { rule: rule.name, effect: 'not_evaluated', text: 'the rule could not be evaluated' };
  }
}
