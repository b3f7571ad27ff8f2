import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realisticTools, shelfOf, snapshotOf } from '../../../test/catalogs.ts';
import { browse } from '../browse.ts';
import { BREAKPOINT, StableOrder, StableOrders } from './stable-order.ts';

const tools = shelfOf({ shop: realisticTools(200) });

function ids(stableOrder: StableOrder, query: string): string[] {
  return browse({ ...tools, stableOrder }, { query, topK: 5 }).cards.map(({ id }) => id);
}

describe('cards that keep their places', () => {
  it('come in the order of ids at first, without a mark', () => {
    const first = ids(new StableOrder(), 'create issue');
    expect(first).toEqual(first.toSorted());
    expect(first).not.toContain(BREAKPOINT.id);
  });

  it('come first, then the mark, then what is new, each in the order of ids', () => {
    const stableOrder = new StableOrder();
    const first = new Set(ids(stableOrder, 'create issue'));
    const second = ids(stableOrder, 'create label');
    const mark = second.indexOf(BREAKPOINT.id);
    const [known, fresh] = [second.slice(0, mark), second.slice(mark + 1)];
    expect(known.length).toBeGreaterThan(0);
    expect(known.every((id) => first.has(id))).toBe(true);
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.some((id) => first.has(id))).toBe(false);
    expect([known, fresh]).toEqual([known.toSorted(), fresh.toSorted()]);
  });

  it('have no mark where all of them are known', () => {
    const stableOrder = new StableOrder();
    const first = ids(stableOrder, 'create issue');
    expect(ids(stableOrder, 'create issue')).toEqual(first);
  });

  it('stay as they were at first sight, score included', () => {
    const stableOrder = new StableOrder();
    const first = browse({ ...tools, stableOrder }, { query: 'create issue', topK: 5 }).cards;
    const later = browse({ ...tools, stableOrder }, { query: 'issue label', topK: 50 }).cards;
    for (const card of first.filter(({ id }) => later.some((other) => other.id === id)))
      expect(later).toContainEqual(card);
    expect(first.every(({ score }) => score! > 0)).toBe(true);
  });

  it('also keep those of a walk, and those met by a call', () => {
    const stableOrder = new StableOrder();
    const [card] = browse(tools, { query: 'create issue', topK: 1 }).cards;
    stableOrder.meet(card!);
    expect(ids(stableOrder, 'create issue').slice(0, 2)).toEqual([card!.id, BREAKPOINT.id]);
    const walked = browse({ ...tools, stableOrder }, { path: '/' }).cards;
    expect(browse({ ...tools, stableOrder }, { path: '/' }).cards).toEqual(walked);
  });

  it('give, for any browses, a prefix that was sent in the same bytes before', () => {
    const words = fc.constantFrom('create', 'issue', 'label', 'user', 'delete', 'team', 'export', 'merge');
    const query = fc.array(words, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '));
    fc.assert(
      fc.property(fc.array(query, { minLength: 2, maxLength: 6 }), (queries) => {
        const stableOrder = new StableOrder();
        const sent = new Set<string>();
        for (const text of queries) {
          const { cards } = browse({ ...tools, stableOrder }, { query: text, topK: 8 });
          const mark = cards.findIndex(({ id }) => id === BREAKPOINT.id);
          for (const card of mark < 0 ? [] : cards.slice(0, mark))
            expect(sent).toContain(JSON.stringify(card));
          for (const card of cards) sent.add(JSON.stringify(card));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('what sessions have seen', () => {
  it('is theirs alone, and goes with its snapshot', () => {
    const all = new StableOrders();
    const [one, two] = [snapshotOf({ shop: [{ name: 'buy' }] }), snapshotOf({ shop: [{ name: 'sell' }] })];
    expect(all.of(one, 'a')).toBe(all.of(one, 'a'));
    expect(all.of(one, 'a')).not.toBe(all.of(one, 'b'));
    expect(all.of(two, 'a')).not.toBe(all.of(one, 'a'));
  });
});
