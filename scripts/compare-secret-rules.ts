/**
 * Compares our rules with the recommended preset of secretlint, a maintained list of the forms of secrets:
 * `node scripts/compare-secret-rules.ts`. It generates texts from the patterns of the preset and lists the forms that
 * secretlint reports and our rules leave.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { redact } from '../src/redaction/redact.ts';
import { makeRuleSet } from '../src/redaction/rule-set.ts';

const PRESET = '@secretlint/secretlint-rule-preset-recommend';
const SAMPLES_PER_PATTERN = 20;
const SEED = 14;

interface Finding {
  readonly ruleId: string;
  readonly messageId: string;
  readonly range: readonly [start: number, end: number];
}

/** Loaded by name, so that the compiler needs no types of a package that only this script uses. */
const [{ lintSource }, { creator }] = (await Promise.all(
  ['@secretlint/core', PRESET].map((name) => import(name)),
)) as [
  { lintSource(request: object): Promise<{ readonly messages: readonly Finding[] }> },
  { creator: object },
];
const config = { rules: [{ id: PRESET, rule: creator, options: {} }] };

async function lint(content: string): Promise<readonly Finding[]> {
  const source = { content, filePath: 'sample.txt', ext: '.txt', contentType: 'text' };
  return (await lintSource({ source, options: { config } })).messages;
}

/** The pattern literals of the preset, without look-around, which the generator does not know. */
function readPatterns(): RegExp[] {
  const source = readFileSync(createRequire(import.meta.url).resolve(PRESET), 'utf8');
  const literals = source.matchAll(/^\s*(?:const|let) \w*pattern\w* = \/(.+)\/[dgimsuvy]*;/gim);
  return Array.from(literals, ([, body]) =>
    body!.replace(/\(\?<?[!=](?:\[[^\]]*\]|\\.|[^()[\]\\])*\)|\\b/g, ''),
  ).flatMap((body) => {
    try {
      return [new RegExp(`^${body}$`, 'u')];
    } catch {
      return [];
    }
  });
}

function generate(pattern: RegExp): string[] {
  try {
    const text = fc.stringMatching(pattern).filter((sample) => sample.length < 4_000);
    return fc.sample(text, { numRuns: SAMPLES_PER_PATTERN, seed: SEED });
  } catch {
    return [];
  }
}

const rules = makeRuleSet();
const missed = new Map<string, { count: number; example: string }>();
let reported = 0;
for (const pattern of readPatterns()) {
  for (const sample of generate(pattern)) {
    const text = `value ${sample} end`;
    for (const { ruleId, messageId, range } of await lint(text)) {
      reported++;
      const secret = text.slice(...range);
      if (!redact(text, rules).text.includes(secret)) continue;
      const form = `${ruleId.replace(/^.*rule-/, '')} ${messageId}`;
      missed.set(form, { count: (missed.get(form)?.count ?? 0) + 1, example: secret });
    }
  }
}
console.log(
  `secretlint reports ${reported} secrets in generated texts; our rules leave those of ${missed.size} forms.`,
);
for (const [form, { count, example }] of missed)
  console.log(`${form}: ${count}, such as ${example.slice(0, 100)}`);
