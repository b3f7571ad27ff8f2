import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import { joinPages } from '../../../test/results/join-pages.ts';
import type { Selection } from '../../contract/call/view.ts';

const select = (document: unknown, parameters: object): Selection[] =>
  pagesOf('application/json', JSON.stringify(document), { jsonpath: { ...parameters } });

describe('jsonpath', () => {
  it('returns one line of JSON per node', () => {
    const [page] = select({ a: [{ b: 1 }, { b: [2, 'x'] }, { b: null }] }, { path: '$.a[*].b' });
    expect(page).toEqual({ text: '1\n[2,"x"]\nnull', totals: { nodes: 3 } });
  });

  it('adds the path of each node on request', () => {
    const document = { "it's": [{ 'a\nb': 1, '"': 2, '\\': 3 }] };
    expect(select(document, { path: '$..*', paths: true })[0]!.text.split('\n').slice(2)).toEqual([
      "$['it\\'s'][0]['a\\nb']: 1",
      `$['it\\'s'][0]['"']: 2`,
      "$['it\\'s'][0]['\\\\']: 3",
    ]);
    expect(select(document, { path: '$', paths: true })[0]!.text).toMatch(/^\$: \{/);
  });

  it('returns "no match" for an empty result', () => {
    expect(select([1], { path: '$[7]' })).toEqual([{ text: 'no match', totals: { nodes: 0 } }]);
  });

  it('returns every node once over all pages', () => {
    // Longer integers are read as strings.
    const small = fc.jsonValue({ maxDepth: 2 }).filter((item) => !/\d{16}/.test(JSON.stringify(item)));
    const value = fc.oneof(small, fc.string({ minLength: 3_000, maxLength: 20_000 }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 30 }), (list) => {
        const pages = select(list, { path: '$[*]' });
        for (const { text, totals } of pages) {
          expect(text.length).toBeLessThanOrEqual(8_000);
          expect(totals).toEqual({ nodes: list.length });
        }
        const lines = list.length === 0 ? 'no match' : list.map((item) => JSON.stringify(item)).join('\n');
        expect(joinPages(pages)).toBe(lines);
      }),
      { numRuns: 60 },
    );
  });

  it('repeats its parameters in the next page', () => {
    const pages = select(
      Array.from({ length: 250 }, (_, i) => i),
      { path: '$[*]', paths: true },
    );
    expect(pages.map(({ next }) => next)).toEqual([
      { jsonpath: { path: '$[*]', start: 100, paths: true } },
      { jsonpath: { path: '$[*]', start: 200, paths: true } },
      undefined,
    ]);
    expect(pages[2]!.text.split('\n').at(-1)).toBe('$[249]: 249');
  });
});
