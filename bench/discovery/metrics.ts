/** Whether each place of an answer, best first, holds a right tool. */
export type Hits = readonly boolean[];

/** Counts against what could be found: five right answers at most fit into five places. */
export function recallAt(k: number, hits: Hits, relevant: number): number {
  return hits.slice(0, k).filter(Boolean).length / Math.min(relevant, k);
}

/** A right answer counts less the later it stands (Järvelin and Kekäläinen, 2002); 1 where all right ones come first. */
export function ndcgAt(k: number, hits: Hits, relevant: number): number {
  const ideal = Array.from({ length: Math.min(relevant, k) }, () => true);
  return gainOf(hits.slice(0, k)) / gainOf(ideal);
}

/** One over the place of the first right answer. */
export function reciprocalRank(hits: Hits): number {
  const first = hits.indexOf(true);
  return first < 0 ? 0 : 1 / (first + 1);
}

export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((total, number) => total + number, 0) / numbers.length;
}

/** The number that this share of all lies below; 0 where there is none. */
export function quantile(share: number, numbers: readonly number[]): number {
  const ordered = [...numbers].sort((a, b) => a - b);
  return ordered[Math.min(Math.floor(ordered.length * share), ordered.length - 1)] ?? 0;
}

function gainOf(hits: Hits): number {
  return hits.reduce((gain, hit, place) => gain + (hit ? 1 / Math.log2(place + 2) : 0), 0);
}
