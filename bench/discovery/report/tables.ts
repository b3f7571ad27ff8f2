import type { RankingWeights } from '../../../src/discovery/ranking/ranker.ts';
import type { Row } from '../compare.ts';
import type { Crossfit } from '../crossfit.ts';
import type { GrowthPoint } from '../growth.ts';
import type { QualityRow } from '../measure.ts';
import { mean } from '../metrics.ts';

/** Queries in the words of the tool, and in other words: the kinds that differ most between words and meaning. */
const WORDINGS = ['keyword', 'paraphrase'];

/** Recall by set, the means, recall by wording, the cost, and then all columns. */
export function comparisonText(rows: readonly Row[]): string {
  return [
    withTitle('Recall@5, the best of each set in bold:', recallMatrix(rows)),
    withTitle('Means over the sets:', meansText(rows)),
    withTitle(
      'Recall@5 by how the query is worded:',
      kindsTable(rows, (kind) => WORDINGS.includes(kind)),
    ),
    costTable(rows),
    asDetails('Every set, every column', allColumnsTable(rows)),
    asDetails(
      'Recall@5 of every kind of query',
      kindsTable(rows, (kind) => !WORDINGS.includes(kind)),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function growthText(points: readonly GrowthPoint[]): string {
  const names = contestantNames(points);
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
  const describeWeights = ({ meaning, namespace, clauses }: RankingWeights): string =>
    `meaning ${meaning}, namespace ${namespace}, clauses ${clauses}`;
  const rows = sets.map(({ set, queries, bm25f, toolgate }) => [
    set,
    String(queries),
    share(bm25f),
    share(toolgate),
  ]);
  const means = [mean(sets.map(({ bm25f }) => bm25f)), mean(sets.map(({ toolgate }) => toolgate))];
  return [
    `Best on the train half: ${describeWeights(chosen.train)}; best on the dev half: ${describeWeights(chosen.dev)}.`,
    table(
      ['set', 'queries', 'bm25f', 'toolgate, held out'],
      [...rows, ['**mean**', '', ...means.map(share)]],
    ),
  ].join('\n\n');
}

export function examplesText(rows: readonly QualityRow[]): string {
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
  const names = contestantNames(rows);
  const bySet = [...Map.groupBy(rows, ({ set }) => set).values()];
  return table(
    ['set', 'tools', 'queries', ...names],
    [
      ...bySet.map((setRows) => [
        setRows[0]!.set,
        setRows[0]!.tools.toLocaleString('en'),
        String(setRows[0]!.queries),
        ...withBestBold(setRows.map(({ recall5 }) => recall5)),
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

export function meansText(rows: readonly QualityRow[]): string {
  const columns = ['recall1', 'recall5', 'recall10', 'ndcg10', 'mrr'] as const;
  return table(
    ['ranking', 'recall@1', 'recall@5', 'recall@10', 'nDCG@10', 'MRR'],
    contestantNames(rows).map((name) => [
      name,
      ...columns.map((column) => share(mean(rowsOf(name, rows).map((row) => row[column])))),
    ]),
  );
}

function kindsTable(rows: readonly Row[], isIncluded: (kind: string) => boolean): string {
  const names = contestantNames(rows);
  const body = [...Map.groupBy(rows, ({ set }) => set)].flatMap(([set, setRows]) =>
    Object.keys(setRows[0]!.recall5ByKind)
      .filter(isIncluded)
      .sort()
      .map((kind) => [set, kind, ...withBestBold(setRows.map((row) => row.recall5ByKind[kind]!))]),
  );
  return body.length === 0 ? '' : table(['set', 'kind of query', ...names], body);
}

function costTable(rows: readonly Row[]): string {
  const maxTools = Math.max(...rows.map(({ tools }) => tools));
  const largest = rows.filter(({ tools }) => tools === maxTools);
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
  const title = `What a query and the index cost at ${maxTools.toLocaleString('en')} tools (${set}, ${singleClause.queries} of ${queries} queries have one clause):`;
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

function allColumnsTable(rows: readonly Row[]): string {
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

function withTitle(title: string, text: string): string {
  return text === '' ? '' : `${title}\n\n${text}`;
}

function asDetails(title: string, text: string): string {
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

function contestantNames(rows: readonly { readonly contestant: string }[]): string[] {
  return [...new Set(rows.map(({ contestant }) => contestant))];
}

function rowsOf(name: string, rows: readonly QualityRow[]): QualityRow[] {
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
