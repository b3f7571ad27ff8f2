import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import { joined } from '../../../test/results/joined.ts';
import type { Selection } from '../../contract/call/view.ts';

const keysOf = (value: unknown, parameters: object = {}): Selection[] =>
  pagesOf('application/json', JSON.stringify(value), { json_keys: { ...parameters } });

describe('json_keys', () => {
  it('tell the members with their shapes', () => {
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

  it('go where the path leads', () => {
    const document = { 'a/b': [{ '~c': { x: true } }] };
    expect(keysOf(document, { path: '/a~1b/0/~0c' })[0]).toEqual({ text: 'x: boolean', totals: { keys: 1 } });
    expect(keysOf(document, { path: '/a~1b/0/~0c/x' })[0]).toEqual({ text: 'boolean', totals: { keys: 0 } });
    expect(keysOf(document, { path: '/' })[0]!.totals).toEqual({ keys: 1 });
  });

  it('read to their end give every key once, of objects and of lists', () => {
    const key = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '1', '_', '/', '~'),
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 400 }), (keys) => {
        const document = { at: Object.fromEntries(keys.map((name) => [name, 1])) };
        const pages = keysOf(document, { path: '/at' });
        const told = pages
          .flatMap(({ text }) => text.split('\n'))
          .map((line) => line.replace(/: number$/, ''));
        expect(told).toEqual(keys.length === 0 ? ['{}'] : Object.keys(document.at));
        const items = keysOf(keys.map(() => 'x')).flatMap(({ text }) => text.split('\n'));
        expect(items).toEqual(
          keys.length === 0 ? ['0 × nothing'] : keys.map((_, index) => `${index}: string`),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('take no more than a page, however long the keys are', () => {
    const pages = keysOf({ ['k'.repeat(50_000)]: 1, ['l'.repeat(5_000)]: 2, ['m'.repeat(5_000)]: 3, n: 4 });
    for (const { text } of pages) expect(text.length).toBeLessThanOrEqual(8_000);
    const keys = joined(pages)
      .split('\n')
      .map((line) => line.replace(/: number$/, '').length);
    expect(keys).toEqual([50_000, 5_000, 5_000, 1]);
  });

  it('keep a key on its line', () => {
    expect(keysOf({ 'a\nb: number': 1 })[0]!.text).toBe('"a\\nb: number": number');
  });

  it('are not lost in lists of lists', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200; i++) deep = [deep];
    expect(keysOf(deep)[0]!.text).toBe('0: 1 × 1 × 1 × 1 × list');
  });
});
