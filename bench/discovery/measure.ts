import type { Contestant, Search } from './contestants.ts';
import type { LabelledQuery, QuerySet } from './data.ts';
import { quantile } from './metrics.ts';
import { PLACES, type Quality, qualityOf } from './quality.ts';

export interface Times {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Who was asked what. */
export interface Judged extends Quality {
  readonly set: string;
  readonly tools: number;
  readonly queries: number;
  readonly contestant: string;
}

export interface Measured extends Judged, Times {
  readonly buildMs: number;
}

/** So many, that a quantile is not the luck of one query. */
export const LEAST_TIMES = 500;
const WARM_UP = 100;

export function judge(
  contestant: Contestant,
  set: QuerySet,
  search: Search = contestant.build(set.tools),
): Judged {
  return {
    set: set.name,
    tools: set.tools.length,
    queries: set.queries.length,
    contestant: contestant.name,
    ...qualityOf(search, set),
  };
}

export function measure(contestant: Contestant, set: QuerySet): Measured {
  const began = performance.now();
  const search = contestant.build(set.tools);
  const buildMs = performance.now() - began;
  return { ...judge(contestant, set, search), ...timesOf(search, set.queries), buildMs };
}

export function timesOf(search: Search, queries: readonly LabelledQuery[]): Times {
  const times = millisecondsOf(search, queries, LEAST_TIMES);
  return { p50Ms: quantile(0.5, times), p95Ms: quantile(0.95, times) };
}

/** The queries one after another: some to warm up, then all against the clock, until there are at least so many times. */
export function millisecondsOf(search: Search, queries: readonly LabelledQuery[], least: number): number[] {
  for (const { query } of queries.slice(0, WARM_UP)) search(query, PLACES);
  const times: number[] = [];
  while (queries.length > 0 && times.length < least) {
    for (const { query } of queries) {
      const start = performance.now();
      search(query, PLACES);
      times.push(performance.now() - start);
    }
  }
  return times;
}
