import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runSync } from '../../src/base/async/cooperative.ts';
import { findSpans } from '../../src/redaction/engine/spans.ts';
import { redact } from '../../src/redaction/redact.ts';
import { makeRuleSet, RULE_NAMES } from '../../src/redaction/rule-set.ts';
import { type Case, CORPUS, redactByLabels } from './corpus.ts';

const rules = makeRuleSet();

interface Score {
  readonly secrets: number;
  readonly redacted: number;
  /** Secrets of the texts in which exactly the secrets were redacted, and nothing else. */
  readonly exact: number;
}

/** The rule may differ: a name in JSON is a weaker sign than the same name in a text. */
const withoutRules = (redacted: string): string => redacted.replace(/\[redacted:[a-z0-9-]+\]/g, '[redacted]');

const NO_SCORE: Score = { secrets: 0, redacted: 0, exact: 0 };

function scoreByRule(cases: readonly Case[]): Map<string, Score> {
  const scores = new Map<string, Score>();
  const count = (rule: string, what: keyof Score): void => {
    const score = scores.get(rule) ?? NO_SCORE;
    scores.set(rule, { ...score, [what]: score[what] + 1 });
  };
  for (const one of cases) {
    const { text, found } = redact(one.text, rules);
    for (const [rule, times] of Object.entries(found))
      for (let i = 0; i < times; i++) count(rule, 'redacted');
    const isExact = withoutRules(text) === withoutRules(redactByLabels(one));
    for (const { rule } of one.secrets) {
      count(rule, 'secrets');
      if (isExact) count(rule, 'exact');
    }
  }
  return scores;
}

const scores = scoreByRule(CORPUS);
const total = [...scores.values()].reduce(
  (sum, { secrets, redacted, exact }) => ({
    secrets: sum.secrets + secrets,
    redacted: sum.redacted + redacted,
    exact: sum.exact + exact,
  }),
  NO_SCORE,
);

describe('redaction of the corpus', () => {
  it('covers every rule, with enough texts of both labels', () => {
    const clean = CORPUS.filter(({ secrets }) => secrets.length === 0).length;
    expect(CORPUS.length).toBeGreaterThanOrEqual(800);
    expect(clean).toBeGreaterThanOrEqual(400);
    expect(CORPUS.length - clean).toBeGreaterThanOrEqual(400);
    expect(RULE_NAMES.filter((name) => !scores.get(name)?.secrets)).toEqual([]);
    expect(new Set(CORPUS.map(({ text }) => text)).size).toBe(CORPUS.length);
  });

  it('reaches a recall of 0.99 and a precision of 0.95', () => {
    const recall = total.exact / total.secrets;
    const precision = total.exact / total.redacted;
    const lines = [...scores]
      .sort()
      .map(([rule, { secrets, redacted, exact }]) => `${rule} ${exact}/${secrets} (${redacted})`);
    console.log(
      `${CORPUS.length} texts, ${total.secrets} secrets: recall ${recall.toFixed(4)}, precision ${precision.toFixed(4)}\n` +
        `exact/secrets (redacted) by rule: ${lines.join(', ')}`,
    );
    expect(recall).toBeGreaterThanOrEqual(0.99);
    expect(precision).toBeGreaterThanOrEqual(0.95);
  });

  it('reports each secret under the labelled rule', () => {
    const misnamed = CORPUS.flatMap(({ text, secrets }) =>
      runSync(findSpans(text, rules)).filter(({ start, rule }) =>
        secrets.some((secret) => secret.start === start && secret.rule !== rule),
      ),
    );
    expect(misnamed).toEqual([]);
  });

  it('matches the labels, in plain text and in JSON', () => {
    const redactText = (text: string): string => withoutRules(redact(text, rules).text);
    const redactInJson = (text: string): string =>
      JSON.parse(redactText(JSON.stringify({ a: [{ text }], b: 1 }))).a[0].text;
    const labelled = CORPUS.map((one) => withoutRules(redactByLabels(one)));
    expect(CORPUS.map(({ text }) => redactText(text))).toEqual(labelled);
    expect(CORPUS.map(({ text }) => redactInJson(text))).toEqual(labelled);
  });

  it('uses only rules that the reference page lists', () => {
    const page = readFileSync(new URL('../../docs/reference/redaction.md', import.meta.url), 'utf8');
    expect(RULE_NAMES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(CORPUS.map(({ file, text }) => [file, text]))('is idempotent for %s: %j', (_, text) => {
    const redacted = redact(text, rules).text;
    expect(redact(redacted, rules)).toEqual({ text: redacted, found: {} });
  });
});
