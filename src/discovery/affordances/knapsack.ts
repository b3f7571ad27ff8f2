export interface Item {
  readonly value: number;
  /** A whole number of tokens. */
  readonly cost: number;
}

/** The indexes of the items with the highest total value within the capacity: exact, by dynamic programming. */
export function knapsack(items: readonly Item[], capacity: number): number[] {
  const totalCost = items.reduce((sum, { cost }) => sum + cost, 0);
  const limit = Math.max(Math.min(Math.floor(capacity), totalCost), 0);
  const best = new Float64Array(limit + 1);
  const taken = items.map(() => new Uint8Array(limit + 1));
  for (const [index, { value, cost }] of items.entries()) {
    for (let spent = limit; spent >= cost; spent--) {
      const withItem = best[spent - cost]! + value;
      if (withItem <= best[spent]!) continue;
      best[spent] = withItem;
      taken[index]![spent] = 1;
    }
  }
  const chosen: number[] = [];
  let left = limit;
  for (let index = items.length - 1; index >= 0; index--) {
    if (taken[index]![left] !== 1) continue;
    chosen.unshift(index);
    left -= items[index]!.cost;
  }
  return chosen;
}
