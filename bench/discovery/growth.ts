import { createHash } from 'node:crypto';
import { BM25F, type Contestant, TOOLGATE } from './contestants.ts';
import type { LabelledQuery, QuerySet } from './data.ts';
import { LEAST_TIMES, millisecondsOf } from './measure.ts';
import { mean, quantile } from './metrics.ts';
import { answersOf } from './quality.ts';
import { grownTo } from './synthetic.ts';

/** What a contestant does in a catalog of so many tools. */
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

/** The same queries, and all of their relevant tools, among more and more others. */
export function growth(
  set: QuerySet,
  sizes: readonly number[],
  progress: (line: string) => void,
): GrowthPoint[] {
  return sizes.flatMap((size) => {
    const catalogs = size > set.tools.length ? [grownTo(size, set)] : samplesOf(size, set);
    return CONTESTANTS.map((contestant) => {
      progress(`${size} tools: ${contestant.name}`);
      return pointOf(contestant, size, catalogs);
    });
  });
}

/**
 * Catalogs of this size, each with a few of the queries: at least half of the tools are relevant to none of them. The
 * others come by the hash of their name, a different stretch of them for each catalog.
 */
export function samplesOf(size: number, set: QuerySet): QuerySet[] {
  const byHash = byHashOf(set.names);
  return groupsOf(size / 2, set.queries).map((queries, group) => {
    const chosen = relevantTo(queries);
    for (let at = group * size; chosen.size < Math.min(size, byHash.length); at++)
      chosen.add(byHash[at % byHash.length]!);
    return {
      ...set,
      tools: set.tools.filter((_, tool) => chosen.has(set.names[tool]!)),
      names: set.names.filter((name) => chosen.has(name)),
      queries,
    };
  });
}

/** As many queries together as have at most so many relevant tools between them; one that has more stands alone. */
function groupsOf(mostRelevant: number, queries: readonly LabelledQuery[]): LabelledQuery[][] {
  const groups: LabelledQuery[][] = [];
  for (const query of queries) {
    const group = groups.at(-1);
    if (group && relevantTo([...group, query]).size <= mostRelevant) group.push(query);
    else groups.push([query]);
  }
  return groups;
}

function relevantTo(queries: readonly LabelledQuery[]): Set<string> {
  return new Set(queries.flatMap(({ relevant }) => [...relevant]));
}

function pointOf(contestant: Contestant, size: number, catalogs: readonly QuerySet[]): GrowthPoint {
  const warmUp = contestant.build(catalogs[0]!.tools);
  millisecondsOf(warmUp, catalogs[0]!.queries, LEAST_TIMES);
  const recalls: number[] = [];
  const times: number[] = [];
  for (const catalog of catalogs) {
    const search = contestant.build(catalog.tools);
    recalls.push(...answersOf(search, catalog).map(({ recall5 }) => recall5));
    times.push(...millisecondsOf(search, catalog.queries, LEAST_TIMES / catalogs.length));
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

/** The same on every machine, and no neighbour of a tool's siblings. */
function byHashOf(names: readonly string[]): string[] {
  const hashes = new Map(names.map((name) => [name, createHash('sha256').update(name).digest('hex')]));
  return names.toSorted((a, b) => (hashes.get(a)! < hashes.get(b)! ? -1 : 1));
}
