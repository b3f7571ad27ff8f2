import type { Search } from './contestant.ts';
import type { QuerySet } from './data.ts';
import { mean, ndcgAt, recallAt, reciprocalRank } from './metrics.ts';

/** The means of the metrics over the queries of a set. */
export interface Quality {
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg10: number;
  readonly mrr: number;
  /** Recall@5 of each kind of query, where the set has kinds. */
  readonly recall5ByKind: Readonly<Record<string, number>>;
}

interface QueryMetrics {
  readonly kind: string | undefined;
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg10: number;
  readonly reciprocalRank: number;
}

export const MAX_RESULTS = 10;

export function evaluateSet(search: Search, set: QuerySet): Quality {
  const metrics = evaluateQueries(search, set);
  const kinds = [...new Set(metrics.map(({ kind }) => kind).filter((kind) => kind !== undefined))];
  return {
    recall1: mean(metrics.map(({ recall1 }) => recall1)),
    recall5: mean(metrics.map(({ recall5 }) => recall5)),
    recall10: mean(metrics.map(({ recall10 }) => recall10)),
    ndcg10: mean(metrics.map(({ ndcg10 }) => ndcg10)),
    mrr: mean(metrics.map((query) => query.reciprocalRank)),
    recall5ByKind: Object.fromEntries(
      kinds.map((kind) => [
        kind,
        mean(metrics.filter((query) => query.kind === kind).map(({ recall5 }) => recall5)),
      ]),
    ),
  };
}

/** The metrics of each query. */
export function evaluateQueries(search: Search, { queries, names }: QuerySet): QueryMetrics[] {
  return queries.map(({ query, relevant, kind }) => {
    const hits = search(query, MAX_RESULTS).map((tool) => relevant.has(names[tool]!));
    return {
      kind,
      recall1: recallAt(1, hits, relevant.size),
      recall5: recallAt(5, hits, relevant.size),
      recall10: recallAt(10, hits, relevant.size),
      ndcg10: ndcgAt(10, hits, relevant.size),
      reciprocalRank: reciprocalRank(hits),
    };
  });
}
