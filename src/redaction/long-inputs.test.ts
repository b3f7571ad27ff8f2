import { describe, expect, it } from 'vitest';
import { runCooperatively, type Steps } from '../base/async/cooperative.ts';
import { redactInSteps } from './redact.ts';
import { redactJsonInSteps } from './redact-json.ts';
import { makeRuleSet } from './rule-set.ts';

const rules = makeRuleSet();
const NAMED = '[redacted:named-secret]';
const stepsOf = (steps: Steps<unknown>): number => {
  let count = 0;
  while (!steps.next().done) count++;
  return count;
};

describe('redaction of a long input', () => {
  const row = '{"id":1,"note":"nothing to see here, and no key"}';

  it.each<[string, Steps<unknown>]>([
    ['a text', redactInSteps('a token of words '.repeat(60_000), rules)],
    ['a text without a candidate for a secret', redactInSteps('abc def '.repeat(125_000), rules)],
    ['a document', redactInSteps(`[${`${row},`.repeat(20_000)}1]`, rules)],
    ['lines of documents', redactInSteps(`${row}\n`.repeat(20_000), rules)],
    ['a table', redactInSteps(`user,password\n${'ann,hunter2\n'.repeat(20_000)}`, rules)],
    [
      'a value',
      redactJsonInSteps(
        Array.from({ length: 40_000 }, () => ({ key: 'nothing to see' })),
        rules,
      ),
    ],
    [
      'a text for a custom pattern',
      redactInSteps('abc def '.repeat(125_000), makeRuleSet({ rules: [{ name: 'x', pattern: 'q+' }] })),
    ],
  ])('yields often enough for other work to run: %s', (_, steps) => {
    expect(stepsOf(steps)).toBeGreaterThanOrEqual(8);
  });

  it('redacts a secret at every offset around a chunk boundary of a JSON line', async () => {
    const secret = 'Tr0ub4dor&3-horse';
    for (let filling = 65_440; filling < 65_560; filling++) {
      const text = `{"rows":["${'x'.repeat(filling)}",{"user":"ann","password":"${secret}"}, "cut`;
      const { text: redacted } = await runCooperatively(redactInSteps(text, rules));
      expect(redacted).toBe(text.replace(secret, NAMED));
    }
  });

  it('redacts a match of a custom pattern at every offset around a chunk boundary', async () => {
    const own = makeRuleSet({ rules: [{ name: 'badge', pattern: 'badge (\\w+)' }] });
    for (let filling = 65_510; filling < 65_540; filling++) {
      const text = `${'x'.repeat(filling)} badge ABC123 and more`;
      const { text: redacted } = await runCooperatively(redactInSteps(text, own));
      expect(redacted).toBe(text.replace('ABC123', '[redacted:badge]'));
    }
  });
});
