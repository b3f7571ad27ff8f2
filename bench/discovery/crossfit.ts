import { type RankingWeights, WEIGHTS } from '../../src/discovery/ranking/ranker.ts';
import { BM25F, toolgateWith } from './contestants.ts';
import { type Half, halfOf, type QuerySet } from './data.ts';
import { type Judged, judge } from './measure.ts';
import { mean } from './metrics.ts';

/** What one set gives when no query is judged by weights that were chosen with it. */
export interface HeldOut {
  readonly set: string;
  readonly queries: number;
  readonly bm25f: number;
  readonly toolgate: number;
}

export interface Crossfit {
  /** The weights that are best on each half; they judge the other. */
  readonly chosen: Readonly<Record<Half, RankingWeights>>;
  readonly sets: readonly HeldOut[];
}

const HALVES: readonly Half[] = ['train', 'dev'];
const OTHER: Readonly<Record<Half, Half>> = { train: 'dev', dev: 'train' };

/** Around the shipped ones. The optimum is flat, so a coarse grid finds it. */
const GRID: readonly RankingWeights[] = [4.5, 6, 7.5].flatMap((meaning) =>
  [0.2, 0.3, 0.4].flatMap((namespace) =>
    [1, 1.5].map((clauses) => ({ ...WEIGHTS, meaning, namespace, clauses })),
  ),
);

/** Each half judged by the weights that the other half would have chosen. */
export function crossfit(sets: readonly QuerySet[], progress: (line: string) => void): Crossfit {
  const tried = GRID.map((weights) => {
    progress(`crossfit: ${JSON.stringify(weights)}`);
    return { weights, rows: byHalf(sets, (set) => judge(toolgateWith(weights), set)) };
  });
  const best = (half: Half) =>
    tried.reduce((most, one) => (worth(one.rows[half]) > worth(most.rows[half]) ? one : most));
  const chosen = { train: best('train'), dev: best('dev') };
  const baseline = byHalf(sets, (set) => judge(BM25F, set));
  return {
    chosen: { train: chosen.train.weights, dev: chosen.dev.weights },
    sets: sets.map(({ name }, i) => {
      const ours = HALVES.map((half) => chosen[OTHER[half]].rows[half][i]!);
      const theirs = HALVES.map((half) => baseline[half][i]!);
      const queries = ours.reduce((sum, row) => sum + row.queries, 0);
      return { set: name, queries, bm25f: pooled(theirs), toolgate: pooled(ours) };
    }),
  };
}

function byHalf(
  sets: readonly QuerySet[],
  row: (set: QuerySet) => Judged,
): Readonly<Record<Half, readonly Judged[]>> {
  return {
    train: sets.map((set) => row(halfOf(set, 'train'))),
    dev: sets.map((set) => row(halfOf(set, 'dev'))),
  };
}

function worth(rows: readonly Judged[]): number {
  return mean(rows.map(({ recall5, ndcg10 }) => (recall5 + ndcg10) / 2));
}

/** Over the queries of both halves together. */
function pooled(rows: readonly Judged[]): number {
  const queries = rows.reduce((sum, row) => sum + row.queries, 0);
  return rows.reduce((sum, row) => sum + row.recall5 * row.queries, 0) / queries;
}
