import type { RankingWeights } from '../../src/discovery/ranking/ranker.ts';
import type { Row } from './compare.ts';
import type { Crossfit } from './crossfit.ts';
import type { GrowthPoint } from './growth.ts';
import type { Judged } from './measure.ts';
import { mean } from './metrics.ts';

/** In the tool's own words, or for the same need in others: the kinds that tell a ranking by meaning from one by words. */
const WORDINGS = ['keyword', 'paraphrase'];

/** What a reader asks in turn: who finds most, in which set, for whom of the askers, at what price; then everything. */
export function comparisonText(rows: readonly Row[]): string {
  return [
    titled('Recall@5, the best of each set in bold:', recallMatrix(rows)),
    titled('Means over the sets:', meansText(rows)),
    titled(
      'Recall@5 by how the query is worded:',
      kindsTable(rows, (kind) => WORDINGS.includes(kind)),
    ),
    costTable(rows),
    folded('Every set, every column', everything(rows)),
    folded(
      'Recall@5 of every kind of query',
      kindsTable(rows, (kind) => !WORDINGS.includes(kind)),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function growthText(points: readonly GrowthPoint[]): string {
  const names = namesIn(points);
  const sizes = [...new Set(points.map(({ tools }) => tools))];
  const cells = (point: GrowthPoint): string[] => [
    share(point.recall5),
    milliseconds(point.p50Ms),
    milliseconds(point.p95Ms),
  ];
  return table(
    ['tools', ...names.flatMap((name) => [`${name} recall@5`, 'p50 ms', 'p95 ms'])],
    sizes.map((size) => [
      size.toLocaleString('en'),
      ...points.filter(({ tools }) => tools === size).flatMap(cells),
    ]),
  );
}

export function crossfitText({ chosen, sets }: Crossfit): string {
  const told = ({ meaning, namespace, clauses }: RankingWeights): string =>
    `meaning ${meaning}, namespace ${namespace}, clauses ${clauses}`;
  const rows = sets.map(({ set, queries, bm25f, toolgate }) => [
    set,
    String(queries),
    share(bm25f),
    share(toolgate),
  ]);
  const means = [mean(sets.map(({ bm25f }) => bm25f)), mean(sets.map(({ toolgate }) => toolgate))];
  return [
    `Best on the train half: ${told(chosen.train)}; best on the dev half: ${told(chosen.dev)}.`,
    table(
      ['set', 'queries', 'bm25f', 'toolgate, held out'],
      [...rows, ['**mean**', '', ...means.map(share)]],
    ),
  ].join('\n\n');
}

export function examplesText(rows: readonly Judged[]): string {
  return table(
    ['set', 'queries', 'ranking', 'recall@5', 'nDCG@10'],
    rows.map(({ set, queries, contestant, recall5, ndcg10 }) => [
      set,
      String(queries),
      contestant,
      share(recall5),
      share(ndcg10),
    ]),
  );
}

function recallMatrix(rows: readonly Row[]): string {
  const names = namesIn(rows);
  const bySet = [...Map.groupBy(rows, ({ set }) => set).values()];
  return table(
    ['set', 'tools', 'queries', ...names],
    [
      ...bySet.map((inSet) => [
        inSet[0]!.set,
        inSet[0]!.tools.toLocaleString('en'),
        String(inSet[0]!.queries),
        ...withBestBold(inSet.map(({ recall5 }) => recall5)),
      ]),
      [
        '**mean**',
        '',
        '',
        ...withBestBold(names.map((name) => mean(rowsOf(name, rows).map(({ recall5 }) => recall5)))),
      ],
    ],
  );
}

export function meansText(rows: readonly Judged[]): string {
  const columns = ['recall1', 'recall5', 'recall10', 'ndcg10', 'mrr'] as const;
  return table(
    ['ranking', 'recall@1', 'recall@5', 'recall@10', 'nDCG@10', 'MRR'],
    namesIn(rows).map((name) => [
      name,
      ...columns.map((column) => share(mean(rowsOf(name, rows).map((row) => row[column])))),
    ]),
  );
}

function kindsTable(rows: readonly Row[], isWanted: (kind: string) => boolean): string {
  const names = namesIn(rows);
  const body = [...Map.groupBy(rows, ({ set }) => set)].flatMap(([set, inSet]) =>
    Object.keys(inSet[0]!.recall5ByKind)
      .filter(isWanted)
      .sort()
      .map((kind) => [set, kind, ...withBestBold(inSet.map((row) => row.recall5ByKind[kind]!))]),
  );
  return body.length === 0 ? '' : table(['set', 'kind of query', ...names], body);
}

function costTable(rows: readonly Row[]): string {
  const most = Math.max(...rows.map(({ tools }) => tools));
  const largest = rows.filter(({ tools }) => tools === most);
  const { set, queries, singleClause } = largest[0]!;
  const body = largest.map((row) => [
    row.contestant,
    milliseconds(row.p50Ms),
    milliseconds(row.p95Ms),
    milliseconds(row.singleClause.p50Ms),
    milliseconds(row.singleClause.p95Ms),
    row.buildMs.toFixed(0),
    row.memoryMb.toFixed(1),
  ]);
  const head = ['ranking', 'p50 ms', 'p95 ms', 'one clause: p50 ms', 'p95 ms', 'build ms', 'index MB'];
  const title = `What a query and the index cost at ${most.toLocaleString('en')} tools (${set}, ${singleClause.queries} of ${queries} queries have one clause):`;
  return [`${title}\n\n${table(head, body)}`, ...beforehandText(largest)].join('\n\n');
}

function beforehandText(rows: readonly Row[]): string[] {
  const encoded = rows.find(({ beforehand }) => beforehand !== undefined);
  if (!encoded?.beforehand) return [];
  const { toolsMs, queryMs } = encoded.beforehand;
  return [
    `Not in the encoder's times: encoding these tools (${(toolsMs / 1000).toFixed(0)} s on a CPU) and each query (${queryMs.toFixed(0)} ms, median).`,
  ];
}

function everything(rows: readonly Row[]): string {
  const head = ['set', 'ranking', 'recall@1', 'recall@5', 'recall@10', 'nDCG@10', 'MRR'];
  return table(
    [...head, 'p50 ms', 'p95 ms', 'build ms', 'index MB'],
    rows.map((row) => [
      row.set,
      row.contestant,
      ...[row.recall1, row.recall5, row.recall10, row.ndcg10, row.mrr].map(share),
      milliseconds(row.p50Ms),
      milliseconds(row.p95Ms),
      row.buildMs.toFixed(0),
      row.memoryMb.toFixed(1),
    ]),
  );
}

function titled(title: string, text: string): string {
  return text === '' ? '' : `${title}\n\n${text}`;
}

function folded(title: string, text: string): string {
  return text === '' ? '' : `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const isText = (column: number): boolean =>
    body.every((row) => !/^[*\d]*[\d.,*]+$/.test(row[column] ?? ''));
  const rule = head.map((_, column) => (isText(column) ? '---' : '--:'));
  return [head.join(' | '), rule.join('|'), ...body.map((row) => row.join(' | '))]
    .map((line, index) => (index === 1 ? `|${line}|` : `| ${line} |`))
    .join('\n');
}

function namesIn(rows: readonly { readonly contestant: string }[]): string[] {
  return [...new Set(rows.map(({ contestant }) => contestant))];
}

function rowsOf(name: string, rows: readonly Judged[]): Judged[] {
  return rows.filter(({ contestant }) => contestant === name);
}

function withBestBold(values: readonly number[]): string[] {
  const best = share(Math.max(...values));
  return values.map((value) => (share(value) === best ? `**${best}**` : share(value)));
}

function share(value: number): string {
  return value.toFixed(3);
}

function milliseconds(value: number): string {
  return value < 0.1 ? value.toFixed(3) : value.toFixed(2);
}
