import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../../../test/pages.ts';
import { parseJson, parseJsonLines } from './parse.ts';

describe('parseJson', () => {
  it('parses like JSON.parse while integers fit into a double', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
        (document) => {
          for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
            fc.pre(!/\d{16}/.test(text));
            expect(parseJson(text)).toEqual(JSON.parse(text));
          }
        },
      ),
    );
  });

  it.each<[string, unknown]>([
    ['[12345678901234567007]', ['12345678901234567007']],
    ['[-12345678901234567007 ,\n9007199254740993]', ['-12345678901234567007', '9007199254740993']],
    ['{"id":12345678901234567007}', { id: '12345678901234567007' }],
    ['[9007199254740991,-9007199254740991]', [9007199254740991, -9007199254740991]],
    [
      '["12345678901234567007",": 12345678901234567007,"]',
      ['12345678901234567007', ': 12345678901234567007,'],
    ],
    ['["a\\"",12345678901234567007]', ['a"', '12345678901234567007']],
    ['[1.2345678901234567890,12345678901234567007e1,1e5]', [1.2345678901234567, 1.2345678901234567e20, 1e5]],
  ])('keeps every digit of an integer: %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each([
    '[12345678901234567007',
    '[12345678901234567007-]',
    '[--12345678901234567007]',
    '[012345678901234567]',
  ])('returns undefined for malformed text: %s', (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(parseJson(text)).toBeUndefined();
  });
});

describe('parseJsonLines', () => {
  it('parses each line as a document', () => {
    expect(parseJsonLines('{"id":12345678901234567007}\n\n{"id":2}\n')).toEqual([
      { id: '12345678901234567007' },
      { id: 2 },
    ]);
    expect(parseJsonLines('{"id":1}')).toBeUndefined();
  });
});

describe('an id beyond double precision', () => {
  const ids = Array.from({ length: 300 }, (_, i) => `12345678901234567${String(i).padStart(3, '0')}`);
  const list = `[${ids.map((id) => `{"id":${id}}`).join(',')}]`;
  const only = (selector: Parameters<typeof pagesOf>[2]): string =>
    pagesOf('application/json', list, selector)[0]!.text;

  it('is shown with every digit', () => {
    expect(only({ rows: { start: 7, end: 9 } })).toBe(`["id"]\n["${ids[7]}"]\n["${ids[8]}"]`);
    expect(only({ jsonpath: { path: '$[7].id' } })).toBe(`"${ids[7]}"`);
    expect(only({ schema: {} })).toContain('id: text, 300 distinct');
  });

  it.each([`$[?@.id == ${ids[7]}].id`, `$[?@.id == '${ids[7]}'].id`])(
    'is found by its exact value: %s',
    (path) => {
      expect(pagesOf('application/json', list, { jsonpath: { path } })).toEqual([
        { text: `"${ids[7]}"`, totals: { nodes: 1 } },
      ]);
    },
  );
});
