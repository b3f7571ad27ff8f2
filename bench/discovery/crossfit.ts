import { type RankingWeights, WEIGHTS } from '../../src/discovery/ranking/ranker.ts';
import { BM25F, toolgateWith } from './contestants.ts';
import { type Half, halfOf, type QuerySet } from './data.ts';
import { measureQuality, type QualityRow } from './measure.ts';
import { mean } from './metrics.ts';

/** Recall@5 of one set, where no query is measured with weights that were chosen on it. */
export interface HeldOut {
  readonly set: string;
  readonly queries: number;
  readonly bm25f: number;
  readonly toolgate: number;
}

export interface Crossfit {
  /** The best weights of each half; the other half is measured with them. */
  readonly chosen: Readonly<Record<Half, RankingWeights>>;
  readonly sets: readonly HeldOut[];
}

const HALVES: readonly Half[] = ['train', 'dev'];
const OTHER: Readonly<Record<Half, Half>> = { train: 'dev', dev: 'train' };

/** Weights around the shipped ones. The optimum is flat, so a coarse grid is enough. */
const GRID: readonly RankingWeights[] = [4.5, 6, 7.5].flatMap((meaning) =>
  [0.2, 0.3, 0.4].flatMap((namespace) =>
    [1, 1.5].map((clauses) => ({ ...WEIGHTS, meaning, namespace, clauses })),
  ),
);

/** Measures each half with the weights that are best on the other half. */
export function crossfit(sets: readonly QuerySet[], progress: (line: string) => void): Crossfit {
  const trials = GRID.map((weights) => {
    progress(`crossfit: ${JSON.stringify(weights)}`);
    return { weights, rows: byHalf(sets, (set) => measureQuality(toolgateWith(weights), set)) };
  });
  const best = (half: Half) =>
    trials.reduce((top, trial) =>
      meanQuality(trial.rows[half]) > meanQuality(top.rows[half]) ? trial : top,
    );
  const chosen = { train: best('train'), dev: best('dev') };
  const baseline = byHalf(sets, (set) => measureQuality(BM25F, set));
  return {
    chosen: { train: chosen.train.weights, dev: chosen.dev.weights },
    sets: sets.map(({ name }, i) => {
      const toolgate = HALVES.map((half) => chosen[OTHER[half]].rows[half][i]!);
      const bm25f = HALVES.map((half) => baseline[half][i]!);
      const queries = toolgate.reduce((sum, row) => sum + row.queries, 0);
      return { set: name, queries, bm25f: poolRecall(bm25f), toolgate: poolRecall(toolgate) };
    }),
  };
}

function byHalf(
  sets: readonly QuerySet[],
  row: (set: QuerySet) => QualityRow,
): Readonly<Record<Half, readonly QualityRow[]>> {
  return {
    train: sets.map((set) => row(halfOf(set, 'train'))),
    dev: sets.map((set) => row(halfOf(set, 'dev'))),
  };
}

function meanQuality(rows: readonly QualityRow[]): number {
  return mean(rows.map(({ recall5, ndcg10 }) => (recall5 + ndcg10) / 2));
}

/** The mean recall@5 over the queries of both halves. */
function poolRecall(rows: readonly QualityRow[]): number {
  const queries = rows.reduce((sum, row) => sum + row.queries, 0);
  return rows.reduce((sum, row) => sum + row.recall5 * row.queries, 0) / queries;
}
