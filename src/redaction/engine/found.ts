/** How often each rule found something. */
export type Found = Readonly<Record<string, number>>;

/** The same while it is counted. */
export type Counts = Record<string, number>;

export function count(counts: Counts, rule: string, times = 1): void {
  counts[rule] = (counts[rule] ?? 0) + times;
}

export function countAll(counts: Counts, found: Found): void {
  for (const [rule, times] of Object.entries(found)) count(counts, rule, times);
}
