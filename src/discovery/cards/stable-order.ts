import { LRUCache } from 'lru-cache';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { ChoiceCard } from '../../contract/tool/card.ts';

/** Where a client may set its prompt-cache breakpoint: all cards before it were sent earlier, byte for byte. */
export const BREAKPOINT: ChoiceCard = {
  id: '__cache_breakpoint__',
  name: '__cache_breakpoint__',
  description: '',
  tags: [],
  kind: 'internal',
  namespace: '',
  hasSchema: false,
  costHint: 0,
  hasSideEffects: false,
  safety: '',
};

const MAX_SESSIONS = 1_000;

/** One stable order per session and snapshot. A new snapshot starts anew, because its cards may differ. */
export class StableOrders {
  readonly #bySnapshot = new WeakMap<CatalogSnapshot, LRUCache<string, StableOrder>>();

  of(snapshot: CatalogSnapshot, session: string): StableOrder {
    const sessions = this.#bySnapshot.get(snapshot) ?? new LRUCache({ max: MAX_SESSIONS });
    this.#bySnapshot.set(snapshot, sessions);
    const order = sessions.get(session) ?? new StableOrder();
    sessions.set(session, order);
    return order;
  }
}

/**
 * The cards that were sent to one session, each frozen when first sent. Later answers begin with them, sorted by id, so
 * that the prefix a model has read does not change. The ranking is then in the scores, not in the positions.
 */
export class StableOrder {
  readonly #cards = new Map<string, ChoiceCard>();

  /** Adds a card that the session learned of without a browse, by calling its tool. */
  add(card: ChoiceCard): void {
    if (!this.#cards.has(card.id)) this.#cards.set(card.id, card);
  }

  arrange(cards: readonly ChoiceCard[]): readonly ChoiceCard[] {
    const ordered = cards.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const known = ordered.flatMap(({ id }) => this.#cards.get(id) ?? []);
    const fresh = ordered.filter(({ id }) => !this.#cards.has(id));
    for (const card of fresh) this.add(card);
    return known.length > 0 && fresh.length > 0 ? [...known, BREAKPOINT, ...fresh] : [...known, ...fresh];
  }
}
