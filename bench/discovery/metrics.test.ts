import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mean, ndcgAt, quantile, recallAt, reciprocalRank } from './metrics.ts';

const [o, x] = [false, true];

describe('metrics worked out by hand', () => {
  it('recall divides by what fits into the places', () => {
    expect(recallAt(1, [x, o, o], 1)).toBe(1);
    expect(recallAt(1, [o, x, o], 1)).toBe(0);
    expect(recallAt(5, [o, x, o, o, o, x], 2)).toBe(1 / 2);
    expect(recallAt(10, [o, x, o, o, o, x], 2)).toBe(1);
    expect(recallAt(5, [x, x, x, o, x, x], 7)).toBe(4 / 5);
    expect(recallAt(5, [], 3)).toBe(0);
  });

  it('nDCG discounts a place by the logarithm of the one after it', () => {
    expect(ndcgAt(10, [x, o], 1)).toBe(1);
    expect(ndcgAt(10, [o, x], 1)).toBeCloseTo(1 / Math.log2(3), 12);
    expect(ndcgAt(10, [o, o, x], 1)).toBeCloseTo(1 / 2, 12);
    // (1 + 1/2) of (1 + 1/log2 3).
    expect(ndcgAt(10, [x, o, x], 2)).toBeCloseTo(1.5 / (1 + 0.6309297535714575), 12);
    expect(ndcgAt(2, [o, o, x], 1)).toBe(0);
    expect(ndcgAt(2, [x, x, x], 3)).toBe(1);
  });

  it('the reciprocal rank is of the first right answer', () => {
    expect(reciprocalRank([x, x])).toBe(1);
    expect(reciprocalRank([o, o, o, x, x])).toBe(1 / 4);
    expect(reciprocalRank([o, o])).toBe(0);
    expect(reciprocalRank([])).toBe(0);
  });

  it('quantiles and means of nothing are zero', () => {
    expect([quantile(0.5, []), mean([])]).toEqual([0, 0]);
    expect(quantile(0.5, [3, 1, 2])).toBe(2);
    expect(quantile(0.95, [1, 2, 3, 4])).toBe(4);
    expect(quantile(1, [1, 2])).toBe(2);
    expect(mean([1, 2, 6])).toBe(3);
  });
});

/** An answer of ten places with no more hits than there are relevant tools. */
const answers = fc
  .tuple(fc.array(fc.boolean(), { maxLength: 10 }), fc.nat(5))
  .map(([hits, unfound]) => ({ hits, relevant: Math.max(hits.filter(Boolean).length + unfound, 1) }));
const places = fc.integer({ min: 1, max: 10 });

describe('metrics of any answer', () => {
  it('lie between 0 and 1', () => {
    fc.assert(
      fc.property(answers, places, ({ hits, relevant }, k) => {
        for (const value of [recallAt(k, hits, relevant), ndcgAt(k, hits, relevant), reciprocalRank(hits)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });

  // Before that another place is another chance to miss: one hit of one place is 1, one hit of two places is 1/2.
  it('never fall with more places, once all that is relevant fits', () => {
    fc.assert(
      fc.property(answers, places, ({ hits, relevant }, more) => {
        const k = relevant + more;
        expect(recallAt(k, hits, relevant)).toBeGreaterThanOrEqual(recallAt(k - 1, hits, relevant));
        expect(ndcgAt(k, hits, relevant)).toBeGreaterThanOrEqual(ndcgAt(k - 1, hits, relevant));
      }),
    );
  });

  it('count no hit twice: what is found grows with every place', () => {
    fc.assert(
      fc.property(answers, places, ({ hits, relevant }, k) => {
        const found = (places: number): number =>
          recallAt(places, hits, relevant) * Math.min(relevant, places);
        expect(found(k + 1)).toBeGreaterThanOrEqual(found(k) - 1e-12);
      }),
    );
  });

  it('are all 1 where the relevant tools come first, and only there', () => {
    fc.assert(
      fc.property(answers, ({ hits, relevant }) => {
        const perfect = hits.length >= relevant && hits.slice(0, relevant).every(Boolean);
        const most = Math.min(ndcgAt(10, hits, relevant), recallAt(relevant, hits, relevant));
        expect(most > 1 - 1e-12).toBe(perfect);
      }),
    );
  });
});
