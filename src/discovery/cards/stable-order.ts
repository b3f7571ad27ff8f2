import { LRUCache } from 'lru-cache';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { ChoiceCard } from '../../contract/tool/card.ts';

/** Where a client that caches prompts sets its mark: everything before it has been sent in the same bytes before. */
export const BREAKPOINT: ChoiceCard = {
  id: '__cache_breakpoint__',
  name: '__cache_breakpoint__',
  description: '',
  tags: [],
  kind: 'internal',
  namespace: '',
  has_schema: false,
  cost_hint: 0,
  side_effects: false,
  safety: '',
};

const MAX_SESSIONS = 1_000;

/** What each session has seen of a snapshot; forgotten with the snapshot, whose cards may have changed. */
export class StableOrders {
  readonly #bySnapshot = new WeakMap<CatalogSnapshot, LRUCache<string, StableOrder>>();

  of(snapshot: CatalogSnapshot, session: string): StableOrder {
    const sessions = this.#bySnapshot.get(snapshot) ?? new LRUCache({ max: MAX_SESSIONS });
    this.#bySnapshot.set(snapshot, sessions);
    const seen = sessions.get(session) ?? new StableOrder();
    sessions.set(session, seen);
    return seen;
  }
}

/**
 * The cards that one session has been shown, frozen at first sight. Later browses begin with them in the order of ids,
 * so that what a model has read stays where it was; the ranking is then in the scores and not in the places.
 */
export class StableOrder {
  readonly #cards = new Map<string, ChoiceCard>();

  /** A card that the session met otherwise, by calling its tool. */
  meet(card: ChoiceCard): void {
    if (!this.#cards.has(card.id)) this.#cards.set(card.id, card);
  }

  arrange(cards: readonly ChoiceCard[]): readonly ChoiceCard[] {
    const ordered = cards.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const known = ordered.flatMap(({ id }) => this.#cards.get(id) ?? []);
    const fresh = ordered.filter(({ id }) => !this.#cards.has(id));
    for (const card of fresh) this.meet(card);
    return known.length > 0 && fresh.length > 0 ? [...known, BREAKPOINT, ...fresh] : [...known, ...fresh];
  }
}
