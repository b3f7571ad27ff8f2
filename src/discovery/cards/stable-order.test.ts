import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { browseContextOf, realisticTools, snapshotOf } from '../../../test/catalogs.ts';
import { browse } from '../browse.ts';
import { BREAKPOINT, StableOrder, StableOrders } from './stable-order.ts';

const context = browseContextOf({ shop: realisticTools(200) });

function ids(stableOrder: StableOrder, query: string): string[] {
  return browse({ ...context, stableOrder }, { query, topK: 5 }).cards.map(({ id }) => id);
}

describe('StableOrder', () => {
  it('sorts the first cards by id, without a breakpoint', () => {
    const first = ids(new StableOrder(), 'create issue');
    expect(first).toEqual(first.toSorted());
    expect(first).not.toContain(BREAKPOINT.id);
  });

  it('puts known cards first, then the breakpoint, then new cards, each sorted by id', () => {
    const stableOrder = new StableOrder();
    const first = new Set(ids(stableOrder, 'create issue'));
    const second = ids(stableOrder, 'create label');
    const breakpoint = second.indexOf(BREAKPOINT.id);
    const [known, fresh] = [second.slice(0, breakpoint), second.slice(breakpoint + 1)];
    expect(known.length).toBeGreaterThan(0);
    expect(known.every((id) => first.has(id))).toBe(true);
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.some((id) => first.has(id))).toBe(false);
    expect([known, fresh]).toEqual([known.toSorted(), fresh.toSorted()]);
  });

  it('adds no breakpoint where all cards are known', () => {
    const stableOrder = new StableOrder();
    const first = ids(stableOrder, 'create issue');
    expect(ids(stableOrder, 'create issue')).toEqual(first);
  });

  it('returns known cards as first sent, with their score', () => {
    const stableOrder = new StableOrder();
    const first = browse({ ...context, stableOrder }, { query: 'create issue', topK: 5 }).cards;
    const later = browse({ ...context, stableOrder }, { query: 'issue label', topK: 50 }).cards;
    for (const card of first.filter(({ id }) => later.some((other) => other.id === id)))
      expect(later).toContainEqual(card);
    expect(first.every(({ score }) => score! > 0)).toBe(true);
  });

  it('also knows the cards of a path browse and of called tools', () => {
    const stableOrder = new StableOrder();
    const [card] = browse(context, { query: 'create issue', topK: 1 }).cards;
    stableOrder.add(card!);
    expect(ids(stableOrder, 'create issue').slice(0, 2)).toEqual([card!.id, BREAKPOINT.id]);
    const listed = browse({ ...context, stableOrder }, { path: '/' }).cards;
    expect(browse({ ...context, stableOrder }, { path: '/' }).cards).toEqual(listed);
  });

  it('begins with cards that were sent before in the same bytes, for any browses', () => {
    const words = fc.constantFrom('create', 'issue', 'label', 'user', 'delete', 'team', 'export', 'merge');
    const query = fc.array(words, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '));
    fc.assert(
      fc.property(fc.array(query, { minLength: 2, maxLength: 6 }), (queries) => {
        const stableOrder = new StableOrder();
        const sent = new Set<string>();
        for (const text of queries) {
          const { cards } = browse({ ...context, stableOrder }, { query: text, topK: 8 });
          const breakpoint = cards.findIndex(({ id }) => id === BREAKPOINT.id);
          for (const card of breakpoint < 0 ? [] : cards.slice(0, breakpoint))
            expect(sent).toContain(JSON.stringify(card));
          for (const card of cards) sent.add(JSON.stringify(card));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('StableOrders', () => {
  it('has one order per session and snapshot', () => {
    const all = new StableOrders();
    const [one, two] = [snapshotOf({ shop: [{ name: 'buy' }] }), snapshotOf({ shop: [{ name: 'sell' }] })];
    expect(all.of(one, 'a')).toBe(all.of(one, 'a'));
    expect(all.of(one, 'a')).not.toBe(all.of(one, 'b'));
    expect(all.of(two, 'a')).not.toBe(all.of(one, 'a'));
  });
});
