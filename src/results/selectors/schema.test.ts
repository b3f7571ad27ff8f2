import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import { joinPages } from '../../../test/results/join-pages.ts';
import type { Selection } from '../../contract/call/view.ts';
import { shapeLines } from '../describe/shape.ts';

const shapes = (document: unknown, parameters: object = {}): Selection[] =>
  pagesOf('application/json', JSON.stringify(document), { schema: { ...parameters } });

describe('schema', () => {
  it('describes the document, or the value at a path', () => {
    const document = { items: [{ id: 1 }, { id: 2 }], next: null };
    expect(shapes(document)).toEqual([
      { text: '{\n  items: 2 × {\n    id: integer 1..2\n  }\n  next: null ×1\n}', totals: { lines: 6 } },
    ]);
    expect(shapes(document, { path: '/items' })[0]!.text).toBe('2 × {\n  id: integer 1..2\n}');
  });

  it('returns the whole shape over all pages', () => {
    const document = Array.from({ length: 55 }, (_, i) =>
      Object.fromEntries(
        Array.from({ length: 20 }, (_, j) => [
          `member_${j}_of_the_kind_${i % 3}`,
          { value: i, [`${j}`]: 'x', a_rather_long_name: { and_one_below_it: true, and_another_one: null } },
        ]),
      ),
    );
    const pages = shapes({ at: document }, { path: '/at' });
    expect(pages.length).toBeGreaterThan(1);
    expect(joinPages(pages)).toBe(shapeLines(document).join('\n'));
    for (const { text } of pages) expect(text.length).toBeLessThanOrEqual(8_000);
    expect(pages[0]!.next).toMatchObject({ schema: { path: '/at' } });
  });
});
