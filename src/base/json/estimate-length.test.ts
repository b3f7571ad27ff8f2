import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateLength } from './estimate-length.ts';

describe('estimateLength', () => {
  it('is close to the length of the JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const length = JSON.stringify(value).length;
        // Escapes, numbers and literals count as less than their length; brackets and commas may count as more.
        expect(estimateLength(value, Number.MAX_SAFE_INTEGER)).toBeLessThanOrEqual(length * 2 + 2);
      }),
    );
    expect(estimateLength({ a: ['text', 'more'] }, 1_000)).toBeGreaterThan(10);
  });

  it('exceeds the limit where the texts alone do', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(100), (texts, limit) => {
        if (texts.join('').length > limit) expect(estimateLength({ texts }, limit)).toBeGreaterThan(limit);
      }),
    );
  });

  it('stops early for very large and very deep values', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 1_000_000; i++) deep = [deep];
    const wide = Array.from({ length: 1_000_000 }, (_, i) => i);
    const began = performance.now();
    expect(estimateLength(deep, 1_000)).toBeGreaterThan(1_000);
    for (let i = 0; i < 1_000; i++) expect(estimateLength({ wide }, 1_000)).toBeGreaterThan(1_000);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
