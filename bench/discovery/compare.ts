import { clausesOf } from '../../src/discovery/ranking/clauses.ts';
import type { Beforehand, Contestant } from './contestants.ts';
import type { QuerySet } from './data.ts';
import { type Measured, measure, type Times, timesOf } from './measure.ts';
import { memoryMbOf } from './memory.ts';

export interface Row extends Measured {
  readonly memoryMb: number;
  /** The times of those queries alone that ask for one thing. */
  readonly singleClause: Times & { readonly queries: number };
  readonly beforehand?: Beforehand;
}

/** Each contestant on its own, over the same queries: no index is kept while the next one is measured. */
export function rowOf(contestant: Contestant, set: QuerySet): Row {
  const single = set.queries.filter(({ query }) => clausesOf(query).length === 1);
  const memoryMb = memoryMbOf(() => contestant.build(set.tools));
  return {
    ...measure(contestant, set),
    memoryMb,
    singleClause: { queries: single.length, ...timesOf(contestant.build(set.tools), single) },
    ...(contestant.beforehand && { beforehand: contestant.beforehand }),
  };
}
