import { expect, it } from 'vitest';
import { applyOverrides } from './apply-overrides.ts';

const OFFERED = [
  { name: 'a', hints: {}, declared: { mutation: 'write_irreversible', labels: { team: 'x' } } } as const,
  { name: 'b', hints: {} } as const,
];

it('adds terms to the tools they name, and leaves the others as they are', () => {
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

it('tells of terms for tools that are not there', () => {
  const { descriptors, unmatched } = applyOverrides('ours', OFFERED, { 'ours:c': {}, 'ours:a:b': {} });
  expect(descriptors).toEqual(OFFERED);
  expect(unmatched).toEqual(['c', 'a:b']);
});
