import type { Contestant } from './contestants.ts';
import type { QuerySet } from './data.ts';

export interface Measured {
  readonly set: string;
  readonly tools: number;
  readonly queries: number;
  readonly contestant: string;
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg10: number;
  readonly mrr: number;
  /** Recall at 5 of each kind of query, where the set tells kinds apart. */
  readonly recall5ByKind: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly buildMs: number;
}

/** Recall counts against what could be found: five right answers at most fit into five places. */
export function measure(contestant: Contestant, set: QuerySet): Measured {
  const began = performance.now();
  const search = contestant.build(set.tools);
  const buildMs = performance.now() - began;
  const rows = set.queries.map(({ query, relevant, kind }) => {
    const start = performance.now();
    const found = search(query, 10);
    const took = performance.now() - start;
    const hits = found.map((tool) => (relevant.has(set.names[tool]!) ? 1 : 0));
    const recall = (k: number): number => sum(hits.slice(0, k)) / Math.min(relevant.size, k);
    const gain = sum(hits.map((hit, place) => hit / Math.log2(place + 2)));
    const ideal = sum(
      Array.from({ length: Math.min(relevant.size, 10) }, (_, place) => 1 / Math.log2(place + 2)),
    );
    const first = hits.indexOf(1);
    return {
      took,
      kind,
      r1: recall(1),
      r5: recall(5),
      r10: recall(10),
      ndcg: gain / ideal,
      rr: first < 0 ? 0 : 1 / (first + 1),
    };
  });
  const kinds = [...new Set(rows.map(({ kind }) => kind).filter((kind) => kind !== undefined))];
  const times = rows.map(({ took }) => took).sort((a, b) => a - b);
  return {
    set: set.name,
    tools: set.tools.length,
    queries: rows.length,
    contestant: contestant.name,
    recall1: mean(rows.map(({ r1 }) => r1)),
    recall5: mean(rows.map(({ r5 }) => r5)),
    recall10: mean(rows.map(({ r10 }) => r10)),
    ndcg10: mean(rows.map(({ ndcg }) => ndcg)),
    mrr: mean(rows.map(({ rr }) => rr)),
    recall5ByKind: Object.fromEntries(
      kinds.map((kind) => [kind, mean(rows.filter((row) => row.kind === kind).map(({ r5 }) => r5))]),
    ),
    p50Ms: times[Math.floor(times.length * 0.5)] ?? 0,
    p95Ms: times[Math.floor(times.length * 0.95)] ?? 0,
    buildMs,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : sum(numbers) / numbers.length;
}
