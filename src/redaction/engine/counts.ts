/** Number of redactions by rule. */
export type RuleCounts = Record<string, number>;

export function addCount(counts: RuleCounts, rule: string, times = 1): void {
  counts[rule] = (counts[rule] ?? 0) + times;
}

export function addCounts(counts: RuleCounts, added: Readonly<RuleCounts>): void {
  for (const [rule, times] of Object.entries(added)) addCount(counts, rule, times);
}
