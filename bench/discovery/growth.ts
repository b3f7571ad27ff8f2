import { createHash } from 'node:crypto';
import type { Contestant } from './contestant.ts';
import { BM25F, TOOLGATE } from './contestants.ts';
import type { LabelledQuery, QuerySet } from './data.ts';
import { MIN_TIMINGS, timeQueries } from './measure.ts';
import { mean, quantile } from './metrics.ts';
import { evaluateQueries } from './quality.ts';
import { growTo } from './synthetic.ts';

/** The result of a contestant in a catalog of one size. */
export interface GrowthPoint {
  readonly contestant: string;
  readonly tools: number;
  readonly queries: number;
  readonly recall5: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

const CONTESTANTS = [BM25F, TOOLGATE];

export const SIZES: readonly number[] = [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];

/** Measures the same queries, with all of their relevant tools, in catalogs of increasing size. */
export function growth(
  set: QuerySet,
  sizes: readonly number[],
  progress: (line: string) => void,
): GrowthPoint[] {
  return sizes.flatMap((size) => {
    const catalogs = size > set.tools.length ? [growTo(size, set)] : samplesOf(size, set);
    return CONTESTANTS.map((contestant) => {
      progress(`${size} tools: ${contestant.name}`);
      return measurePoint(contestant, size, catalogs);
    });
  });
}

/**
 * Catalogs of this size, each with a few of the queries. At least half of the tools are relevant to none of them; these
 * are taken in the order of the hash of their names, a different range for each catalog.
 */
export function samplesOf(size: number, set: QuerySet): QuerySet[] {
  const byHash = sortByHash(set.names);
  return groupQueries(size / 2, set.queries).map((queries, group) => {
    const chosen = relevantTo(queries);
    for (let next = group * size; chosen.size < Math.min(size, byHash.length); next++)
      chosen.add(byHash[next % byHash.length]!);
    return {
      ...set,
      tools: set.tools.filter((_, tool) => chosen.has(set.names[tool]!)),
      names: set.names.filter((name) => chosen.has(name)),
      queries,
    };
  });
}

/** Groups queries with at most so many relevant tools together; a query with more is a group of its own. */
function groupQueries(maxRelevant: number, queries: readonly LabelledQuery[]): LabelledQuery[][] {
  const groups: LabelledQuery[][] = [];
  for (const query of queries) {
    const group = groups.at(-1);
    if (group && relevantTo([...group, query]).size <= maxRelevant) group.push(query);
    else groups.push([query]);
  }
  return groups;
}

function relevantTo(queries: readonly LabelledQuery[]): Set<string> {
  return new Set(queries.flatMap(({ relevant }) => [...relevant]));
}

function measurePoint(contestant: Contestant, size: number, catalogs: readonly QuerySet[]): GrowthPoint {
  const warmUp = contestant.build(catalogs[0]!.tools);
  timeQueries(warmUp, catalogs[0]!.queries, MIN_TIMINGS);
  const recalls: number[] = [];
  const times: number[] = [];
  for (const catalog of catalogs) {
    const search = contestant.build(catalog.tools);
    recalls.push(...evaluateQueries(search, catalog).map(({ recall5 }) => recall5));
    times.push(...timeQueries(search, catalog.queries, MIN_TIMINGS / catalogs.length));
  }
  return {
    contestant: contestant.name,
    tools: size,
    queries: recalls.length,
    recall5: mean(recalls),
    p50Ms: quantile(0.5, times),
    p95Ms: quantile(0.95, times),
  };
}

/** An order that is the same on every machine and unrelated to the order of the catalog. */
function sortByHash(names: readonly string[]): string[] {
  const hashes = new Map(names.map((name) => [name, createHash('sha256').update(name).digest('hex')]));
  return names.toSorted((a, b) => (hashes.get(a)! < hashes.get(b)! ? -1 : 1));
}
