import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import { joinPages } from '../../../test/results/join-pages.ts';
import type { Selection } from '../../contract/call/view.ts';

const keysOf = (value: unknown, parameters: object = {}): Selection[] =>
  pagesOf('application/json', JSON.stringify(value), { json_keys: { ...parameters } });

describe('json_keys', () => {
  it('lists the members with their shapes', () => {
    const [page] = keysOf({
      id: 7,
      tags: ['a'],
      owner: { name: 'x', deep: { er: 1 } },
      none: null,
      empty: [],
    });
    expect(page).toEqual({
      text: 'id: number\ntags: 1 × string\nowner: {name: string, deep: object}\nnone: null\nempty: 0 × nothing',
      totals: { keys: 5 },
    });
  });

  it('follows the path', () => {
    const document = { 'a/b': [{ '~c': { x: true } }] };
    expect(keysOf(document, { path: '/a~1b/0/~0c' })[0]).toEqual({ text: 'x: boolean', totals: { keys: 1 } });
    expect(keysOf(document, { path: '/a~1b/0/~0c/x' })[0]).toEqual({ text: 'boolean', totals: { keys: 0 } });
    expect(keysOf(document, { path: '/' })[0]!.totals).toEqual({ keys: 1 });
  });

  it('returns every key of objects and lists once over all pages', () => {
    const key = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '1', '_', '/', '~'),
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 400 }), (keys) => {
        const document = { at: Object.fromEntries(keys.map((name) => [name, 1])) };
        const pages = keysOf(document, { path: '/at' });
        const names = pages
          .flatMap(({ text }) => text.split('\n'))
          .map((line) => line.replace(/: number$/, ''));
        expect(names).toEqual(keys.length === 0 ? ['{}'] : Object.keys(document.at));
        const items = keysOf(keys.map(() => 'x')).flatMap(({ text }) => text.split('\n'));
        expect(items).toEqual(
          keys.length === 0 ? ['0 × nothing'] : keys.map((_, index) => `${index}: string`),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('returns at most 8,000 characters per page, however long the keys are', () => {
    const pages = keysOf({ ['k'.repeat(50_000)]: 1, ['l'.repeat(5_000)]: 2, ['m'.repeat(5_000)]: 3, n: 4 });
    for (const { text } of pages) expect(text.length).toBeLessThanOrEqual(8_000);
    const keys = joinPages(pages)
      .split('\n')
      .map((line) => line.replace(/: number$/, '').length);
    expect(keys).toEqual([50_000, 5_000, 5_000, 1]);
  });

  it('quotes a key with a line break', () => {
    expect(keysOf({ 'a\nb: number': 1 })[0]!.text).toBe('"a\\nb: number": number');
  });

  it('limits the depth of nested lists', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200; i++) deep = [deep];
    expect(keysOf(deep)[0]!.text).toBe('0: 1 × 1 × 1 × 1 × list');
  });
});
