import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runSync } from '../../src/base/async/cooperative.ts';
import { findSpans } from '../../src/redaction/engine/spans.ts';
import { redact } from '../../src/redaction/redact.ts';
import { makeRuleSet, RULE_NAMES } from '../../src/redaction/rule-set.ts';
import { type Case, CORPUS, expected } from './corpus.ts';

const rules = makeRuleSet();

interface Score {
  readonly secrets: number;
  readonly redacted: number;
  /** Secrets that are gone as a whole, and with them nothing else. */
  readonly right: number;
}

const NO_SCORE: Score = { secrets: 0, redacted: 0, right: 0 };

function scored(cases: readonly Case[]): Map<string, Score> {
  const scores = new Map<string, Score>();
  const count = (rule: string, what: keyof Score): void => {
    const score = scores.get(rule) ?? NO_SCORE;
    scores.set(rule, { ...score, [what]: score[what] + 1 });
  };
  for (const { text, secrets } of cases) {
    const spans = runSync(findSpans(text, rules));
    for (const { rule } of spans) count(rule, 'redacted');
    for (const { rule, start, end } of secrets) {
      count(rule, 'secrets');
      if (spans.some((span) => span.start === start && span.end === end)) count(rule, 'right');
    }
  }
  return scores;
}

const scores = scored(CORPUS);
const total = [...scores.values()].reduce(
  (sum, { secrets, redacted, right }) => ({
    secrets: sum.secrets + secrets,
    redacted: sum.redacted + redacted,
    right: sum.right + right,
  }),
  NO_SCORE,
);

describe('the corpus', () => {
  it('has enough of both, and a secret for every rule', () => {
    const clean = CORPUS.filter(({ secrets }) => secrets.length === 0).length;
    expect(CORPUS.length).toBeGreaterThanOrEqual(800);
    expect(clean).toBeGreaterThanOrEqual(400);
    expect(CORPUS.length - clean).toBeGreaterThanOrEqual(400);
    expect(RULE_NAMES.filter((name) => !scores.get(name)?.secrets)).toEqual([]);
    expect(new Set(CORPUS.map(({ text }) => text)).size).toBe(CORPUS.length);
  });

  it('is redacted with a recall of 0.99 and a precision of 0.95', () => {
    const recall = total.right / total.secrets;
    const precision = total.right / total.redacted;
    const lines = [...scores]
      .sort()
      .map(([rule, { secrets, redacted, right }]) => `${rule} ${right}/${secrets} (${redacted})`);
    console.log(
      `${CORPUS.length} texts, ${total.secrets} secrets: recall ${recall.toFixed(4)}, precision ${precision.toFixed(4)}\n` +
        `right/secrets (redacted) by rule: ${lines.join(', ')}`,
    );
    expect(recall).toBeGreaterThanOrEqual(0.99);
    expect(precision).toBeGreaterThanOrEqual(0.95);
  });

  it('is redacted under the names of the rules', () => {
    const misnamed = CORPUS.flatMap(({ text, secrets }) =>
      runSync(findSpans(text, rules)).filter(({ start, rule }) =>
        secrets.some((secret) => secret.start === start && secret.rule !== rule),
      ),
    );
    expect(misnamed).toEqual([]);
  });

  it('comes out as it is labelled, alone and in JSON', () => {
    // A name in JSON says less than the same name in a text: which rule found it may differ.
    const told = (text: string): string =>
      redact(text, rules).text.replace(/\[redacted:[a-z0-9-]+\]/g, '[redacted]');
    const inJson = (text: string): string =>
      JSON.parse(told(JSON.stringify({ a: [{ text }], b: 1 }))).a[0].text;
    const labelled = CORPUS.map((one) => expected(one).replace(/\[redacted:[a-z0-9-]+\]/g, '[redacted]'));
    expect(CORPUS.map(({ text }) => told(text))).toEqual(labelled);
    expect(CORPUS.map(({ text }) => inJson(text))).toEqual(labelled);
  });

  it('has rules that the reference lists', () => {
    const page = readFileSync(new URL('../../docs/reference/redaction.md', import.meta.url), 'utf8');
    expect(RULE_NAMES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(CORPUS.map(({ file, text }) => [file, text]))('%s: %j is settled at once', (_, text) => {
    const redacted = redact(text, rules).text;
    expect(redact(redacted, rules)).toEqual({ text: redacted, found: {} });
  });
});
