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
function rule(word: Effect, i: number): Rule {
  return {
    name: `rule-${i}`,
    evaluate: () => {
      if (word === 'silent') return undefined;
      if (word === 'not_evaluated') throw new Error('private');
      return { effect: word, text: `effect ${word}` };
    },
  };
}

function decided(...words: Effect[]): Decision {
  return combineReasons(evaluateRules(words.map(rule), REQUEST));
}

describe('combineReasons', () => {
  it.each<[string, Effect[], string]>([
    ['one allowance', ['allow'], 'allow'],
    ['one allowance among silence', ['silent', 'allow', 'silent'], 'allow'],
    ['one denial among allowances', ['allow', 'deny', 'allow'], 'deny'],
    ['one doubt among allowances', ['allow', 'not_evaluated'], 'deny'],
    ['one question among allowances', ['allow', 'ask'], 'ask'],
    ['a question and a denial', ['ask', 'deny', 'allow'], 'deny'],
    ['a question and a doubt', ['ask', 'not_evaluated'], 'deny'],
    ['silence', ['silent', 'silent'], 'deny'],
    ['no rule', [], 'deny'],
  ])('by %s', (_, words, effect) => {
    expect(decided(...words).effect).toBe(effect);
  });

  it('keeps the reason of every rule that applies, in order', () => {
    expect(decided('allow', 'silent', 'not_evaluated', 'deny')).toEqual({
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
    expect(decided('silent').reasons).toEqual([
      { rule: 'default', effect: 'deny', text: 'no rule allows this' },
    ]);
  });

  it('does not depend on the order of rules, and more rules never loosen it', () => {
    const word = fc.constantFrom<Effect>('allow', 'deny', 'ask', 'not_evaluated', 'silent');
    const strictness = { allow: 0, ask: 1, deny: 2 };
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), word, (words, more) => {
        const { effect } = decided(...words);
        expect(decided(...words.toReversed()).effect).toBe(effect);
        expect(effect === 'allow').toBe(
          words.includes('allow') && words.every((said) => said === 'allow' || said === 'silent'),
        );
        // Silence denies, so the first word can loosen; any further one cannot.
        if (words.some((said) => said !== 'silent')) {
          expect(strictness[decided(...words, more).effect]).toBeGreaterThanOrEqual(strictness[effect]);
        }
      }),
    );
  });
});
