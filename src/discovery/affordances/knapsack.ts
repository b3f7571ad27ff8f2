export interface Item {
  readonly value: number;
  /** A whole number of tokens. */
  readonly cost: number;
}

/** The indexes of the items that are worth most together within the capacity: exact, by dynamic programming. */
export function knapsack(items: readonly Item[], capacity: number): number[] {
  const everything = items.reduce((sum, { cost }) => sum + cost, 0);
  const room = Math.max(Math.min(Math.floor(capacity), everything), 0);
  const best = new Float64Array(room + 1);
  const taken = items.map(() => new Uint8Array(room + 1));
  for (const [index, { value, cost }] of items.entries()) {
    for (let spent = room; spent >= cost; spent--) {
      const withIt = best[spent - cost]! + value;
      if (withIt <= best[spent]!) continue;
      best[spent] = withIt;
      taken[index]![spent] = 1;
    }
  }
  const chosen: number[] = [];
  let left = room;
  for (let index = items.length - 1; index >= 0; index--) {
    if (taken[index]![left] !== 1) continue;
    chosen.unshift(index);
    left -= items[index]!.cost;
  }
  return chosen;
}
