/** Whether each result, best first, is a relevant tool. */
export type Hits = readonly boolean[];

/** The share of the relevant tools among the first `k` results; where more than `k` are relevant, the share of `k`. */
export function recallAt(k: number, hits: Hits, relevant: number): number {
  return hits.slice(0, k).filter(Boolean).length / Math.min(relevant, k);
}

/** Normalized discounted cumulative gain (Järvelin and Kekäläinen, 2002): 1 where all relevant tools come first. */
export function ndcgAt(k: number, hits: Hits, relevant: number): number {
  const ideal = Array.from({ length: Math.min(relevant, k) }, () => true);
  return gainOf(hits.slice(0, k)) / gainOf(ideal);
}

/** One divided by the position of the first relevant tool. */
export function reciprocalRank(hits: Hits): number {
  const first = hits.indexOf(true);
  return first < 0 ? 0 : 1 / (first + 1);
}

export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((total, number) => total + number, 0) / numbers.length;
}

/** The value that this share of the numbers is below; 0 where there are none. */
export function quantile(share: number, numbers: readonly number[]): number {
  const ordered = [...numbers].sort((a, b) => a - b);
  return ordered[Math.min(Math.floor(ordered.length * share), ordered.length - 1)] ?? 0;
}

function gainOf(hits: Hits): number {
  return hits.reduce((gain, hit, index) => gain + (hit ? 1 / Math.log2(index + 2) : 0), 0);
}
