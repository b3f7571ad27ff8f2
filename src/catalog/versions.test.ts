import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolContract } from '../contract/tool/tool.ts';
import { compareVersions, latestOf } from './versions.ts';

const part = fc.oneof(
  fc.constantFrom('0', '00', '1', '2', '9', '10', '1a', 'a', 'alpha', 'beta', 'rc', ''),
  fc.stringMatching(/^[A-Za-z0-9]{1,4}$/),
);
const separator = fc.constantFrom('.', '-');
const version = fc
  .tuple(fc.constantFrom('', 'v'), part, fc.array(fc.tuple(separator, part), { maxLength: 4 }))
  .map(([v, first, rest]) => `${v}${first}${rest.map((pair) => pair.join('')).join('')}`);
const anyVersion = fc.option(version, { nil: undefined, freq: 12 });

describe('compareVersions', () => {
  it.each([
    [undefined, '0.0.0'],
    ['1.9.0', '1.10.0'],
    ['1.0.0-alpha', '1.0.0'],
    // The example of Semantic Versioning, section 11.
    ['1.0.0-alpha', '1.0.0-alpha.1'],
    ['1.0.0-alpha.1', '1.0.0-alpha.beta'],
    ['1.0.0-alpha.beta', '1.0.0-beta'],
    ['1.0.0-beta', '1.0.0-beta.2'],
    ['1.0.0-beta.2', '1.0.0-beta.11'],
    ['1.0.0-beta.11', '1.0.0-rc.1'],
    ['1.0.0-rc.1', '1.0.0'],
    ['2024-05', '2024-11'],
    ['2024-11-30', '2025-01-01'],
    ['v1.2', 'v1.10'],
    ['1.2', 'v1.3'],
    ['9', '10'],
    ['99999999999999999998', '99999999999999999999'],
  ])('puts %s before %s', (lower, higher) => {
    expect(compareVersions(lower, higher)).toBeLessThan(0);
    expect(compareVersions(higher, lower)).toBeGreaterThan(0);
  });

  it.each([
    ['1.0', '1.0.0'],
    ['v1.0.0', '1.0.0'],
    ['1.01', '1.1'],
    [undefined, undefined],
  ])('treats %s and %s as equal', (a, b) => {
    expect(compareVersions(a, b)).toBe(0);
    expect(compareVersions(b, a)).toBe(0);
  });

  it('is a total order', () => {
    fc.assert(
      fc.property(anyVersion, anyVersion, anyVersion, (a, b, c) => {
        expect(compareVersions(a, a)).toBe(0);
        expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) {
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('latestOf', () => {
  const contract = (id: string, version?: string): ToolContract => ({ id, version }) as ToolContract;

  it('returns the greatest version', () => {
    expect(latestOf([contract('a', '1.9'), contract('b', '1.10'), contract('c')])!.id).toBe('b');
  });

  it('returns the smaller id of two equal versions', () => {
    expect(latestOf([contract('b', '1.0'), contract('a', '1.0.0')])!.id).toBe('a');
    expect(latestOf([contract('b'), contract('a')])!.id).toBe('a');
  });

  it('returns nothing for an empty list', () => {
    expect(latestOf([])).toBeUndefined();
  });

  it('does not depend on the order in which an upstream lists them', () => {
    fc.assert(
      fc.property(fc.array(anyVersion, { minLength: 1 }), fc.infiniteStream(fc.nat()), (versions, stream) => {
        const all = versions.map((version, index) => contract(`id${index}`, version));
        const shuffled = all
          .map((item) => ({ item, at: stream.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item);
        expect(latestOf(shuffled)).toBe(latestOf(all));
      }),
    );
  });
});
