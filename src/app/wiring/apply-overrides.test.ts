import { describe, expect, it } from 'vitest';
import { applyOverrides } from './apply-overrides.ts';

const OFFERED = [
  { name: 'a', hints: {}, declared: { mutation: 'write_irreversible', labels: { team: 'x' } } } as const,
  { name: 'b', hints: {} } as const,
];

describe('applyOverrides', () => {
  it('overrides the named tools and leaves the others unchanged', () => {
    const { descriptors, unmatched } = applyOverrides('ours', OFFERED, {
      'ours:a': { mutation: 'read_only', examples: ['do a'] },
      'theirs:b': { mutation: 'read_only' },
    });
    expect(descriptors).toEqual([
      {
        name: 'a',
        hints: {},
        declared: { mutation: 'read_only', labels: { team: 'x' }, examples: [{ query: 'do a' }] },
      },
      OFFERED[1],
    ]);
    expect(unmatched).toEqual([]);
  });

  it('returns the overrides of tools that the upstream does not have', () => {
    const { descriptors, unmatched } = applyOverrides('ours', OFFERED, { 'ours:c': {}, 'ours:a:b': {} });
    expect(descriptors).toEqual(OFFERED);
    expect(unmatched).toEqual(['c', 'a:b']);
  });
});
