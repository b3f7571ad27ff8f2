import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSync } from '../../base/async/cooperative.ts';
import { VectorRows } from './dot-products.ts';
import { WordVectors } from './word-vectors.ts';

const file = readFileSync(new URL('../../../assets/word-vectors.bin', import.meta.url));
const vectors = new WordVectors(file);

function cosine(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => vectors.embed(text.split(' ')));
  return x!.reduce((sum, value, i) => sum + value * y![i]!, 0);
}

describe('WordVectors', () => {
  it('is less than 7 MB, because the package may grow by at most 8 MB', () => {
    expect(file.byteLength).toBeLessThan(7_000_000);
  });

  it.each([
    ['refund', 'money back', 'weather'],
    ['repository', 'repo', 'restaurant'],
    ['send email', 'write mail', 'stock price'],
    ['delete', 'remove', 'translate'],
  ])('places %s nearer to %s than to %s', (word, near, far) => {
    expect(cosine(word, near)).toBeGreaterThan(cosine(word, far));
  });

  it('embeds a text as a unit vector, and unknown words as zero', () => {
    expect(Math.hypot(...vectors.embed(['create', 'issue']))).toBeCloseTo(1, 5);
    expect(Math.hypot(...vectors.embed([]))).toBe(0);
    expect(Math.hypot(...vectors.embed(['漢字']))).toBe(0);
  });

  it('composes any unknown word from pieces', () => {
    expect(cosine('kubernetes', 'kubernetes')).toBeCloseTo(1, 5);
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 60 })), (words) => {
        expect(vectors.embed(words).every(Number.isFinite)).toBe(true);
      }),
    );
  });

  it('reads a file at an unaligned address', () => {
    const shifted = new Uint8Array(file.byteLength + 3);
    shifted.set(file, 3);
    expect(new WordVectors(shifted.subarray(3)).embed(['issue'])).toEqual(vectors.embed(['issue']));
  });

  it('refuses a file of another format', () => {
    expect(() => new WordVectors(new Uint8Array(64))).toThrow('not a word vector file');
  });
});

describe('VectorRows', () => {
  const vector = fc.float32Array({ minLength: 32, maxLength: 32, min: -1, max: 1, noNaN: true });

  it('computes similarities like a plain loop, within the error of quantization', () => {
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 20 }), vector, (rows, query) => {
        const out = new Float32Array(rows.length);
        runSync(VectorRows.of(rows, 32)).similarities(query, out);
        for (const [i, row] of rows.entries()) {
          const exact = row.reduce((sum, value, dim) => sum + value * query[dim]!, 0);
          expect(Math.abs(out[i]! - exact)).toBeLessThan(0.3);
        }
      }),
    );
  });

  it('refuses dimensions that are not a multiple of 16', () => {
    expect(() => runSync(VectorRows.of([], 10))).toThrow('a multiple of 16, not 10');
  });
});
