import type { Decision, Reason } from '../contract/call/decision.ts';
import type { DecisionRequest, Rule } from './rule.ts';

/** Hears every rule. One denial denies, one doubt denies, one question asks; silence is denial too. */
export function decide(rules: readonly Rule[], question: DecisionRequest): Decision {
  const reasons = rules.map((rule) => hear(rule, question)).filter((reason) => reason !== undefined);
  const said = (effect: Reason['effect']): boolean => reasons.some((reason) => reason.effect === effect);
  if (said('deny') || said('not_evaluated')) return { effect: 'deny', reasons, obligations: [] };
  if (said('ask')) return { effect: 'ask', reasons, obligations: [] };
  if (said('allow')) return { effect: 'allow', reasons, obligations: [] };
  const silence: Reason = { rule: 'default', effect: 'deny', text: 'no rule allows this' };
  return { effect: 'deny', reasons: [silence], obligations: [] };
}

function hear(rule: Rule, question: DecisionRequest): Reason | undefined {
  try {
    const answer = rule.evaluate(question);
    return answer && { rule: rule.name, ...answer };
  } catch {
    return { rule: rule.name, effect: 'not_evaluated', text: 'the rule could not be evaluated' };
  }
}
