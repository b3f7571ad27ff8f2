import { createHash } from 'node:crypto';
import type { ToolExamples } from '../../src/discovery/ranking/examples.ts';
import { runSync } from '../../src/discovery/ranking/turns.ts';
import { type Contestant, rankerOver, TOOLGATE } from './contestants.ts';
import type { LabelledQuery, QuerySet } from './data.ts';
import { type Judged, judge } from './measure.ts';

const LEARNED = [1, 3] as const;
const FULL_TRUST = 3;
/** Fewer tell nothing. */
const LEAST_ASKED = 100;

/**
 * What past requests teach. Three queries of each tool, the first by the hash of their text, are the past; the others are
 * asked, and none of them was seen. Some tools have fewer.
 */
export function withExamples(set: QuerySet): Judged[] {
  const past = pastOf(set);
  const seen = new Set([...past.values()].flat());
  const asked = { ...set, queries: set.queries.filter((query) => !seen.has(query)) };
  if (asked.queries.length < LEAST_ASKED) return [];
  const contestants = [TOOLGATE, ...LEARNED.map((pairs) => taught(set, past, pairs))];
  return contestants.map((contestant) => judge(contestant, asked));
}

function pastOf({ names, queries }: QuerySet): ReadonlyMap<string, readonly LabelledQuery[]> {
  const order = (query: LabelledQuery): string => createHash('sha256').update(query.query).digest('hex');
  const inOrder = queries.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  return new Map(
    names.map((name) => [name, inOrder.filter(({ relevant }) => relevant.has(name)).slice(0, FULL_TRUST)]),
  );
}

/** Observed as a gateway observes them: the first three sightings of a tool count in part. */
function taught({ names }: QuerySet, past: ReturnType<typeof pastOf>, pairs: number): Contestant {
  return {
    name: `toolgate, ${pairs} past ${pairs === 1 ? 'request' : 'requests'} a tool`,
    build(tools) {
      const ranker = rankerOver(tools);
      const known = tools.map((contract, i): ToolExamples => {
        const requests = past
          .get(names[i]!)!
          .map(({ query }) => query)
          .slice(0, pairs);
        return { contract, requests, trust: requests.length / FULL_TRUST };
      });
      const examples = runSync(ranker.overlay(known));
      const indexes = new Map(tools.map((tool, index) => [tool, index]));
      return (query, limit) =>
        ranker.rank(query, limit, { examples }).map(({ contract }) => indexes.get(contract)!);
    },
  };
}
