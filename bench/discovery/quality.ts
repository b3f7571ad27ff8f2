import type { Search } from './contestants.ts';
import type { QuerySet } from './data.ts';
import { mean, ndcgAt, recallAt, reciprocalRank } from './metrics.ts';

/** How good the answers to a set's queries are, in the mean. */
export interface Quality {
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg10: number;
  readonly mrr: number;
  /** Recall at 5 of each kind of query, where the set tells kinds apart. */
  readonly recall5ByKind: Readonly<Record<string, number>>;
}

interface Answer {
  readonly kind: string | undefined;
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg10: number;
  readonly reciprocalRank: number;
}

export const PLACES = 10;

export function qualityOf(search: Search, set: QuerySet): Quality {
  const answers = answersOf(search, set);
  const kinds = [...new Set(answers.map(({ kind }) => kind).filter((kind) => kind !== undefined))];
  return {
    recall1: mean(answers.map(({ recall1 }) => recall1)),
    recall5: mean(answers.map(({ recall5 }) => recall5)),
    recall10: mean(answers.map(({ recall10 }) => recall10)),
    ndcg10: mean(answers.map(({ ndcg10 }) => ndcg10)),
    mrr: mean(answers.map((answer) => answer.reciprocalRank)),
    recall5ByKind: Object.fromEntries(
      kinds.map((kind) => [
        kind,
        mean(answers.filter((answer) => answer.kind === kind).map(({ recall5 }) => recall5)),
      ]),
    ),
  };
}

/** How good the answer to each query is. */
export function answersOf(search: Search, { queries, names }: QuerySet): Answer[] {
  return queries.map(({ query, relevant, kind }) => {
    const hits = search(query, PLACES).map((tool) => relevant.has(names[tool]!));
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
