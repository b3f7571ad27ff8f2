/** Names the place of an item, the outermost lane first. All lanes of one queue have the same depth. */
export type Lane = readonly string[];

/**
 * A queue whose lanes take turns (round robin), so that a lane with many items does not delay the others. Lanes can hold
 * lanes: the inner ones share the turns of the outer one. Within an innermost lane items are taken in order.
 */
export class FairQueue<Item> {
  readonly #lanes = new Map<string, FairQueue<Item>>();
  /** Only in an innermost lane. */
  readonly #items = new Set<Item>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add([name, ...inner]: Lane, item: Item): void {
    this.#size++;
    if (name === undefined) return void this.#items.add(item);
    const lane = this.#lanes.get(name) ?? new FairQueue<Item>();
    this.#lanes.set(name, lane);
    lane.add(inner, item);
  }

  /** Returns false where the item is no longer in the queue. */
  delete([name, ...inner]: Lane, item: Item): boolean {
    const lane = name === undefined ? undefined : this.#lanes.get(name);
    const isDeleted = name === undefined ? this.#items.delete(item) : (lane?.delete(inner, item) ?? false);
    if (isDeleted) this.#size--;
    if (lane?.size === 0) this.#lanes.delete(name!);
    return isDeleted;
  }

  take(): Item | undefined {
    if (this.#size === 0) return undefined;
    this.#size--;
    const [first] = this.#lanes;
    if (!first) {
      const [item] = this.#items;
      this.#items.delete(item!);
      return item;
    }
    const [name, lane] = first;
    this.#lanes.delete(name);
    const item = lane.take();
    if (lane.size > 0) this.#lanes.set(name, lane);
    return item;
  }

  /** Removes an item to shorten the queue: the given one, or the last one of a lane that is longer than its own. */
  shed([name, ...inner]: Lane, item: Item): Item {
    this.#size--;
    if (name === undefined) {
      this.#items.delete(item);
      return item;
    }
    const own = this.#lanes.get(name)!;
    const [, longest] = this.#longestLane();
    if (longest.size > own.size) return longest.#takeLast();
    const shed = own.shed(inner, item);
    if (own.size === 0) this.#lanes.delete(name);
    return shed;
  }

  #takeLast(): Item {
    this.#size--;
    if (this.#lanes.size === 0) {
      const item = [...this.#items].at(-1)!;
      this.#items.delete(item);
      return item;
    }
    const [name, lane] = this.#longestLane();
    const item = lane.#takeLast();
    if (lane.size === 0) this.#lanes.delete(name);
    return item;
  }

  #longestLane(): [string, FairQueue<Item>] {
    return [...this.#lanes].reduce((longest, lane) => (lane[1].size > longest[1].size ? lane : longest));
  }
}
