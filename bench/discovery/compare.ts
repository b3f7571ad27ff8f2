import { clausesOf } from '../../src/discovery/ranking/clauses.ts';
import type { Beforehand, Contestant } from './contestant.ts';
import type { QuerySet } from './data.ts';
import { type MeasuredRow, measure, measureTimes, type Times } from './measure.ts';
import { memoryMbOf } from './memory.ts';

export interface Row extends MeasuredRow {
  readonly memoryMb: number;
  /** The times of only those queries that have one clause. */
  readonly singleClause: Times & { readonly queries: number };
  readonly beforehand?: Beforehand;
}

/** Measures one contestant alone: no other index is in memory meanwhile. */
export function measureRow(contestant: Contestant, set: QuerySet): Row {
  const single = set.queries.filter(({ query }) => clausesOf(query).length === 1);
  const memoryMb = memoryMbOf(() => contestant.build(set.tools));
  return {
    ...measure(contestant, set),
    memoryMb,
    singleClause: { queries: single.length, ...measureTimes(contestant.build(set.tools), single) },
    ...(contestant.beforehand && { beforehand: contestant.beforehand }),
  };
}
