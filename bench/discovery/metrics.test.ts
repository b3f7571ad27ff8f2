import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mean, ndcgAt, quantile, recallAt, reciprocalRank } from './metrics.ts';

const [o, x] = [false, true];

describe('metrics of answers computed by hand', () => {
  it('recallAt divides by the smaller of k and the number of relevant tools', () => {
    expect(recallAt(1, [x, o, o], 1)).toBe(1);
    expect(recallAt(1, [o, x, o], 1)).toBe(0);
    expect(recallAt(5, [o, x, o, o, o, x], 2)).toBe(1 / 2);
    expect(recallAt(10, [o, x, o, o, o, x], 2)).toBe(1);
    expect(recallAt(5, [x, x, x, o, x, x], 7)).toBe(4 / 5);
    expect(recallAt(5, [], 3)).toBe(0);
  });

  it('ndcgAt discounts each position by its logarithm', () => {
    expect(ndcgAt(10, [x, o], 1)).toBe(1);
    expect(ndcgAt(10, [o, x], 1)).toBeCloseTo(1 / Math.log2(3), 12);
    expect(ndcgAt(10, [o, o, x], 1)).toBeCloseTo(1 / 2, 12);
    // (1 + 1/2) of (1 + 1/log2 3).
    expect(ndcgAt(10, [x, o, x], 2)).toBeCloseTo(1.5 / (1 + 0.6309297535714575), 12);
    expect(ndcgAt(2, [o, o, x], 1)).toBe(0);
    expect(ndcgAt(2, [x, x, x], 3)).toBe(1);
  });

  it('reciprocalRank uses the first relevant tool', () => {
    expect(reciprocalRank([x, x])).toBe(1);
    expect(reciprocalRank([o, o, o, x, x])).toBe(1 / 4);
    expect(reciprocalRank([o, o])).toBe(0);
    expect(reciprocalRank([])).toBe(0);
  });

  it('quantile and mean of no numbers are zero', () => {
    expect([quantile(0.5, []), mean([])]).toEqual([0, 0]);
    expect(quantile(0.5, [3, 1, 2])).toBe(2);
    expect(quantile(0.95, [1, 2, 3, 4])).toBe(4);
    expect(quantile(1, [1, 2])).toBe(2);
    expect(mean([1, 2, 6])).toBe(3);
  });
});

/** An answer of at most ten results, with no more hits than relevant tools. */
const answers = fc
  .tuple(fc.array(fc.boolean(), { maxLength: 10 }), fc.nat(5))
  .map(([hits, missed]) => ({ hits, relevant: Math.max(hits.filter(Boolean).length + missed, 1) }));
const sizes = fc.integer({ min: 1, max: 10 });

describe('metrics of any answer', () => {
  it('are between 0 and 1', () => {
    fc.assert(
      fc.property(answers, sizes, ({ hits, relevant }, k) => {
        for (const value of [recallAt(k, hits, relevant), ndcgAt(k, hits, relevant), reciprocalRank(hits)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });

  // With fewer results recall may fall: one hit among one is 1, one hit among two is 1/2.
  it('never fall with a larger k once k covers all relevant tools', () => {
    fc.assert(
      fc.property(answers, sizes, ({ hits, relevant }, more) => {
        const k = relevant + more;
        expect(recallAt(k, hits, relevant)).toBeGreaterThanOrEqual(recallAt(k - 1, hits, relevant));
        expect(ndcgAt(k, hits, relevant)).toBeGreaterThanOrEqual(ndcgAt(k - 1, hits, relevant));
      }),
    );
  });

  it('never count fewer hits with a larger k', () => {
    fc.assert(
      fc.property(answers, sizes, ({ hits, relevant }, k) => {
        const found = (size: number): number => recallAt(size, hits, relevant) * Math.min(relevant, size);
        expect(found(k + 1)).toBeGreaterThanOrEqual(found(k) - 1e-12);
      }),
    );
  });

  it('are 1 exactly where the relevant tools come first', () => {
    fc.assert(
      fc.property(answers, ({ hits, relevant }) => {
        const perfect = hits.length >= relevant && hits.slice(0, relevant).every(Boolean);
        const most = Math.min(ndcgAt(10, hits, relevant), recallAt(relevant, hits, relevant));
        expect(most > 1 - 1e-12).toBe(perfect);
      }),
    );
  });
});
