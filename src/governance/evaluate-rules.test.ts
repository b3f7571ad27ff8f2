import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contractOf } from '../../test/recording-deps.ts';
import type { Decision, Reason } from '../contract/call/decision.ts';
import { LOCAL_USER } from '../contract/call/principal.ts';
import { combineReasons, evaluateRules } from './evaluate-rules.ts';
import type { DecisionRequest, Rule } from './rule.ts';

const REQUEST: DecisionRequest = { principal: LOCAL_USER, contract: contractOf({}) };

type Effect = Reason['effect'] | 'silent';

/** A rule with this effect; a rule that throws counts as `not_evaluated`. */
function ruleWith(effect: Effect, i: number): Rule {
  return {
    name: `rule-${i}`,
    evaluate: () => {
      if (effect === 'silent') return undefined;
      if (effect === 'not_evaluated') throw new Error('private');
      return { effect, text: `effect ${effect}` };
    },
  };
}

function decide(...effects: Effect[]): Decision {
  return combineReasons(evaluateRules(effects.map(ruleWith), REQUEST));
}

describe('combineReasons', () => {
  it.each<[string, Effect[], string]>([
    ['one rule that allows', ['allow'], 'allow'],
    ['one rule that allows, the others not applying', ['silent', 'allow', 'silent'], 'allow'],
    ['one rule that denies, the others allowing', ['allow', 'deny', 'allow'], 'deny'],
    ['one rule that throws, the others allowing', ['allow', 'not_evaluated'], 'deny'],
    ['one rule that asks, the others allowing', ['allow', 'ask'], 'ask'],
    ['one rule that asks and one that denies', ['ask', 'deny', 'allow'], 'deny'],
    ['one rule that asks and one that throws', ['ask', 'not_evaluated'], 'deny'],
    ['no rule that applies', ['silent', 'silent'], 'deny'],
    ['no rule at all', [], 'deny'],
  ])('with %s → $2', (_, effects, expected) => {
    expect(decide(...effects).effect).toBe(expected);
  });

  it('keeps the reason of every rule that applies, in order', () => {
    expect(decide('allow', 'silent', 'not_evaluated', 'deny')).toEqual({
      effect: 'deny',
      reasons: [
        { rule: 'rule-0', effect: 'allow', text: 'effect allow' },
        { rule: 'rule-2', effect: 'not_evaluated', text: 'the rule could not be evaluated' },
        { rule: 'rule-3', effect: 'deny', text: 'effect deny' },
      ],
      obligations: [],
    });
  });

  it('gives a reason when no rule applies', () => {
    expect(decide('silent').reasons).toEqual([
      { rule: 'default', effect: 'deny', text: 'no rule allows this' },
    ]);
  });

  it('ignores the order of rules, and an additional rule never makes the decision less strict', () => {
    const anyEffect = fc.constantFrom<Effect>('allow', 'deny', 'ask', 'not_evaluated', 'silent');
    const strictness = { allow: 0, ask: 1, deny: 2 };
    fc.assert(
      fc.property(fc.array(anyEffect, { maxLength: 6 }), anyEffect, (effects, additional) => {
        const { effect } = decide(...effects);
        expect(decide(...effects.toReversed()).effect).toBe(effect);
        expect(effect === 'allow').toBe(
          effects.includes('allow') && effects.every((one) => one === 'allow' || one === 'silent'),
        );
        // Without an applicable rule the call is denied, so the first applicable rule may allow it.
        if (effects.some((one) => one !== 'silent')) {
          expect(strictness[decide(...effects, additional).effect]).toBeGreaterThanOrEqual(
            strictness[effect],
          );
        }
      }),
    );
  });
});
