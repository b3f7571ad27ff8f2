import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realisticTools, shelfOf, snapshotOf } from '../../../test/catalogs.ts';
import { browse } from '../browse.ts';
import { BREAKPOINT, SeenBySession, SeenCards } from './stable-order.ts';

const tools = shelfOf({ shop: realisticTools(200) });

function ids(seen: SeenCards, query: string): string[] {
  return browse({ ...tools, seen }, { query, topK: 5 }).cards.map(({ id }) => id);
}

describe('cards that keep their places', () => {
  it('come in the order of ids at first, without a mark', () => {
    const first = ids(new SeenCards(), 'create issue');
    expect(first).toEqual(first.toSorted());
    expect(first).not.toContain(BREAKPOINT.id);
  });

  it('come first, then the mark, then what is new, each in the order of ids', () => {
    const seen = new SeenCards();
    const first = new Set(ids(seen, 'create issue'));
    const second = ids(seen, 'create label');
    const mark = second.indexOf(BREAKPOINT.id);
    const [known, fresh] = [second.slice(0, mark), second.slice(mark + 1)];
    expect(known.length).toBeGreaterThan(0);
    expect(known.every((id) => first.has(id))).toBe(true);
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.some((id) => first.has(id))).toBe(false);
    expect([known, fresh]).toEqual([known.toSorted(), fresh.toSorted()]);
  });

  it('have no mark where all of them are known', () => {
    const seen = new SeenCards();
    const first = ids(seen, 'create issue');
    expect(ids(seen, 'create issue')).toEqual(first);
  });

  it('stay as they were at first sight, score included', () => {
    const seen = new SeenCards();
    const first = browse({ ...tools, seen }, { query: 'create issue', topK: 5 }).cards;
    const later = browse({ ...tools, seen }, { query: 'issue label', topK: 50 }).cards;
    for (const card of first.filter(({ id }) => later.some((other) => other.id === id)))
      expect(later).toContainEqual(card);
    expect(first.every(({ score }) => score! > 0)).toBe(true);
  });

  it('also keep those of a walk, and those met by a call', () => {
    const seen = new SeenCards();
    const [card] = browse(tools, { query: 'create issue', topK: 1 }).cards;
    seen.meet(card!);
    expect(ids(seen, 'create issue').slice(0, 2)).toEqual([card!.id, BREAKPOINT.id]);
    const walked = browse({ ...tools, seen }, { path: '/' }).cards;
    expect(browse({ ...tools, seen }, { path: '/' }).cards).toEqual(walked);
  });

  it('give, for any browses, a prefix that was sent in the same bytes before', () => {
    const words = fc.constantFrom('create', 'issue', 'label', 'user', 'delete', 'team', 'export', 'merge');
    const query = fc.array(words, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '));
    fc.assert(
      fc.property(fc.array(query, { minLength: 2, maxLength: 6 }), (queries) => {
        const seen = new SeenCards();
        const sent = new Set<string>();
        for (const text of queries) {
          const { cards } = browse({ ...tools, seen }, { query: text, topK: 8 });
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
    const all = new SeenBySession();
    const [one, two] = [snapshotOf({ shop: [{ name: 'buy' }] }), snapshotOf({ shop: [{ name: 'sell' }] })];
    expect(all.of(one, 'a')).toBe(all.of(one, 'a'));
    expect(all.of(one, 'a')).not.toBe(all.of(one, 'b'));
    expect(all.of(two, 'a')).not.toBe(all.of(one, 'a'));
  });
});
