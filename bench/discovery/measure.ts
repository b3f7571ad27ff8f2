import type { Contestant, Search } from './contestant.ts';
import type { LabelledQuery, QuerySet } from './data.ts';
import { quantile } from './metrics.ts';
import { evaluateSet, MAX_RESULTS, type Quality } from './quality.ts';

export interface Times {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** The quality of one contestant on one set. */
export interface QualityRow extends Quality {
  readonly set: string;
  readonly tools: number;
  readonly queries: number;
  readonly contestant: string;
}

export interface MeasuredRow extends QualityRow, Times {
  readonly buildMs: number;
}

/** Enough that no single query decides a quantile. */
export const MIN_TIMINGS = 500;
const WARM_UP = 100;

export function measureQuality(
  contestant: Contestant,
  set: QuerySet,
  search: Search = contestant.build(set.tools),
): QualityRow {
  return {
    set: set.name,
    tools: set.tools.length,
    queries: set.queries.length,
    contestant: contestant.name,
    ...evaluateSet(search, set),
  };
}

export function measure(contestant: Contestant, set: QuerySet): MeasuredRow {
  const start = performance.now();
  const search = contestant.build(set.tools);
  const buildMs = performance.now() - start;
  return { ...measureQuality(contestant, set, search), ...measureTimes(search, set.queries), buildMs };
}

export function measureTimes(search: Search, queries: readonly LabelledQuery[]): Times {
  const times = timeQueries(search, queries, MIN_TIMINGS);
  return { p50Ms: quantile(0.5, times), p95Ms: quantile(0.95, times) };
}

/** Runs some queries to warm up, then all queries in turn until there are at least `minimum` timings, in ms. */
export function timeQueries(search: Search, queries: readonly LabelledQuery[], minimum: number): number[] {
  for (const { query } of queries.slice(0, WARM_UP)) search(query, MAX_RESULTS);
  const times: number[] = [];
  while (queries.length > 0 && times.length < minimum) {
    for (const { query } of queries) {
      const start = performance.now();
      search(query, MAX_RESULTS);
      times.push(performance.now() - start);
    }
  }
  return times;
}
