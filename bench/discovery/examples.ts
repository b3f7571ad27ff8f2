import { createHash } from 'node:crypto';
import { runSync } from '../../src/base/async/cooperative.ts';
import type { ToolExamples } from '../../src/discovery/ranking/examples.ts';
import type { Contestant } from './contestant.ts';
import { rankerOver, TOOLGATE } from './contestants.ts';
import type { LabelledQuery, QuerySet } from './data.ts';
import { measureQuality, type QualityRow } from './measure.ts';

const PAST_REQUESTS = [1, 3] as const;
const CALLS_FOR_FULL_TRUST = 3;
/** Fewer queries give no reliable mean. */
const MIN_QUERIES = 100;

/**
 * Measures usage examples. The first three queries of each tool, by the hash of their text, are its past requests; only
 * the other queries are measured. Some tools have fewer.
 */
export function measureExamples(set: QuerySet): QualityRow[] {
  const past = selectPast(set);
  const pastQueries = new Set([...past.values()].flat());
  const heldOut = { ...set, queries: set.queries.filter((query) => !pastQueries.has(query)) };
  if (heldOut.queries.length < MIN_QUERIES) return [];
  const contestants = [TOOLGATE, ...PAST_REQUESTS.map((count) => toolgateWithPast(set, past, count))];
  return contestants.map((contestant) => measureQuality(contestant, heldOut));
}

function selectPast({ names, queries }: QuerySet): ReadonlyMap<string, readonly LabelledQuery[]> {
  const hashOf = (query: LabelledQuery): string => createHash('sha256').update(query.query).digest('hex');
  const byHash = queries.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));
  return new Map(
    names.map((name) => [
      name,
      byHash.filter(({ relevant }) => relevant.has(name)).slice(0, CALLS_FOR_FULL_TRUST),
    ]),
  );
}

/** Weighs examples as the gateway does: fewer than three calls of a tool count in part. */
function toolgateWithPast(
  { names }: QuerySet,
  past: ReturnType<typeof selectPast>,
  count: number,
): Contestant {
  return {
    name: `toolgate, ${count} past ${count === 1 ? 'request' : 'requests'} a tool`,
    build(tools) {
      const ranker = rankerOver(tools);
      const perTool = tools.map((contract, i): ToolExamples => {
        const requests = past
          .get(names[i]!)!
          .map(({ query }) => query)
          .slice(0, count);
        return { contract, requests, trust: requests.length / CALLS_FOR_FULL_TRUST };
      });
      const examples = runSync(ranker.overlay(perTool));
      const indexes = new Map(tools.map((tool, index) => [tool, index]));
      return (query, limit) =>
        ranker.rank(query, limit, { examples }).map(({ contract }) => indexes.get(contract)!);
    },
  };
}
