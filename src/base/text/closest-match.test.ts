import { expect, it } from 'vitest';
import { closestMatch } from './closest-match.ts';

const KEYS = ['profile', 'server', 'servers', 'store', 'catalog', 'upstreams', 'log'];

it.each([
  ['profil', 'profile'],
  ['Profile', 'profile'],
  ['upstream', 'upstreams'],
  ['upsterams', 'upstreams'],
  ['catalogue', 'catalog'],
  ['sever', 'server'],
  ['lgo', 'log'],
  ['server', 'server'],
  ['banana', undefined],
  ['', undefined],
])('suggests for %s: %s', (word, expected) => {
  expect(closestMatch(word, KEYS)).toBe(expected);
});

it('suggests nothing from an empty list', () => {
  expect(closestMatch('profile', [])).toBeUndefined();
});
