/** `npm run bench:discovery`: how well and how fast the right tool is found, against baselines in the same run. */
import { parseArgs } from 'node:util';
import { ABLATIONS, CONTESTANTS } from './contestants.ts';
import { devHalf, type QuerySet, readSet, setsIn } from './data.ts';
import { type Measured, mean, measure } from './measure.ts';

const HELP = `npm run bench:discovery -- [options]

  --data DIR        every set in a folder (catalog.jsonl and queries.jsonl each)
  --catalog FILE    one catalog, with
  --queries FILE    its labelled queries; the repository's own pair where neither is given
  --dev             only half of the queries, by the hash of their text: for choosing on one half and judging on the other
  --ablation        Toolgate with one part taken away at a time, instead of the baselines
  --json            JSON on standard output, and nothing else there
`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    catalog: { type: 'string' },
    queries: { type: 'string' },
    dev: { type: 'boolean' },
    ablation: { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

if (values.help) console.log(HELP);
else main();

function main(): void {
  const contestants = values.ablation ? ABLATIONS : CONTESTANTS;
  const sets = values.dev ? querySets().map(devHalf) : querySets();
  const measured: Measured[] = [];
  for (const set of sets) {
    for (const contestant of contestants) {
      if (!values.json) process.stderr.write(`${set.name}: ${contestant.name}\n`);
      measured.push(measure(contestant, set));
    }
  }
  if (values.json) console.log(JSON.stringify(measured, null, 2));
  else report(measured);
}

function querySets(): QuerySet[] {
  if (values.data) return setsIn(values.data);
  const own = (file: string): string => new URL(`own/${file}`, import.meta.url).pathname;
  return [readSet('given', values.catalog ?? own('catalog.jsonl'), values.queries ?? own('queries.jsonl'))];
}

function report(measured: readonly Measured[]): void {
  const digits = (number: number): string => number.toFixed(3);
  console.log(
    '| set | tools | queries | ranking | recall@1 | recall@5 | recall@10 | nDCG@10 | MRR | p50 ms | p95 ms | build ms |',
  );
  console.log('|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  for (const row of measured) {
    const quality = [row.recall1, row.recall5, row.recall10, row.ndcg10, row.mrr].map(digits).join(' | ');
    const speed = `${digits(row.p50Ms)} | ${digits(row.p95Ms)} | ${row.buildMs.toFixed(0)}`;
    console.log(`| ${row.set} | ${row.tools} | ${row.queries} | ${row.contestant} | ${quality} | ${speed} |`);
  }
  console.log('\n| ranking | mean recall@5 | mean nDCG@10 |\n|---|--:|--:|');
  for (const name of new Set(measured.map(({ contestant }) => contestant))) {
    const rows = measured.filter(({ contestant }) => contestant === name);
    console.log(
      `| ${name} | ${digits(mean(rows.map((row) => row.recall5)))} | ${digits(mean(rows.map((row) => row.ndcg10)))} |`,
    );
  }
  for (const { set, contestant, recall5ByKind } of measured) {
    const kinds = Object.entries(recall5ByKind).map(([kind, recall]) => `${kind} ${digits(recall)}`);
    if (kinds.length > 0) console.log(`\n${set}, ${contestant}: recall@5 ${kinds.join(', ')}`);
  }
}
