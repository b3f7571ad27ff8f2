import fc from 'fast-check';
import { query as reference } from 'json-p3';
import { describe, expect, it } from 'vitest';
import { CpuBudget } from '../../../base/cpu-budget.ts';
import { parsePath } from './parse.ts';
import { UnusablePattern } from './regexp.ts';
import { VisitLimitExceeded, visitNodes } from './walk.ts';

function select(path: string, document: unknown, milliseconds = 5_000): unknown[] {
  const values: unknown[] = [];
  const query = parsePath(path);
  if (!query) throw new Error(`Invalid path: ${path}`);
  visitNodes(query, document, {
    budget: new CpuBudget(milliseconds),
    visit: ({ value }) => values.push(value),
  });
  return values;
}

/** RFC 9535, figure 1. */
const STORE = {
  store: {
    book: [
      { category: 'reference', author: 'Nigel Rees', title: 'Sayings of the Century', price: 8.95 },
      { category: 'fiction', author: 'Evelyn Waugh', title: 'Sword of Honour', price: 12.99 },
      {
        category: 'fiction',
        author: 'Herman Melville',
        title: 'Moby Dick',
        isbn: '0-553-21311-3',
        price: 8.99,
      },
      {
        category: 'fiction',
        author: 'J. R. R. Tolkien',
        title: 'The Lord of the Rings',
        isbn: '0-395-19395-8',
        price: 22.99,
      },
    ],
    bicycle: { color: 'red', price: 399 },
  },
};

describe('JSONPath (RFC 9535)', () => {
  const { book, bicycle } = STORE.store;
  it.each<[string, unknown[]]>([
    ['$', [STORE]],
    ['$.store.book[*].author', book.map(({ author }) => author)],
    ['$..author', book.map(({ author }) => author)],
    ['$.store.*', [book, bicycle]],
    ['$.store..price', [...book.map(({ price }) => price), 399]],
    ['$..book[2]', [book[2]]],
    ['$..book[2].publisher', []],
    ['$..book[-1]', [book[3]]],
    ['$..book[0,1]', [book[0], book[1]]],
    ['$..book[:2]', [book[0], book[1]]],
    ['$..book[?@.isbn]', [book[2], book[3]]],
    ['$..book[?@.price<10]', [book[0], book[2]]],
    ['$..book[::-2].price', [22.99, 12.99]],
    ['$..book[?!@.isbn].price', [8.95, 12.99]],
    ["$..book[?@.category=='fiction' && (@.price>20 || @.isbn)].price", [8.99, 22.99]],
    ["$..book[?match(@.author, 'H.*e')].author", ['Herman Melville']],
    ["$..book[?match(@.author, 'Her')]", []],
    ["$..book[?search(@.title, 'of the')].title", ['Sayings of the Century', 'The Lord of the Rings']],
    ['$.store.book[?length(@.title) == 9].title', ['Moby Dick']],
    ['$.store[?count(@.*) > 2]', [book]],
    ['$..book[?value(@..price) == 8.95].title', ['Sayings of the Century']],
    ['$..book[?@.price == $.store.book[0].price].title', ['Sayings of the Century']],
    ['$..book[?@.nothing == @.nowhere].price', [8.95, 12.99, 8.99, 22.99]],
  ])('evaluates the example %s', (path, values) => {
    expect(select(path, STORE)).toEqual(values);
  });

  it.each<[string, unknown, unknown[]]>([
    ['$[1:5:2]', [0, 1, 2, 3, 4, 5], [1, 3]],
    ['$[5:1:-2]', [0, 1, 2, 3, 4, 5], [5, 3]],
    ['$[::-1]', [1, 2, 3], [3, 2, 1]],
    ['$[-2:]', [1, 2, 3], [2, 3]],
    ['$[2:-9:-1]', [1, 2, 3], [3, 2, 1]],
    ['$[?value(@.*) == 1]', [[1, 2], [1], [2]], [[1]]],
    ['$[?@ == $[0]]', [{}, [], null], [{}]],
    ['$[?@ == $[0]]', [[], {}, '', 0, false], [[]]],
    ['$[?$[0] == @]', [{ a: 1 }, { a: 1, b: 2 }], [{ a: 1 }]],
    ['$[:-5]', [1, 2, 3], []],
    ['$[0:9:0]', [1, 2, 3], []],
    ['$[9:0:-1]', [1, 2, 3], [3, 2]],
    ['$[-4]', [1, 2, 3], []],
    ['$[?@ < "b"]', ['a', 'b', 1], ['a']],
    ['$[?@ <= null]', [null, 1], [null]],
    [
      '$[?@ == $[0]]',
      [[1, { a: 2 }], [1, { a: 2 }], [1, { a: 3 }], [1]],
      [
        [1, { a: 2 }],
        [1, { a: 2 }],
      ],
    ],
    ['$[?@.a == 1]', JSON.parse('[{"__proto__":{"a":1}}]'), []],
    ["$['__proto__']", JSON.parse('{"__proto__":7}'), [7]],
    ['$.constructor', {}, []],
    ['$.length', [1], []],
    ['$[?length(@) == 1]', ['😀', 'ab', [1], { a: 1 }, 7], ['😀', [1], { a: 1 }]],
    ["$[?match(@, '.')]", ['a', '\r', '\n', '😀', 'ab'], ['a', '😀']],
    ["$[?match(@, '[.]')]", ['a', '.'], ['.']],
    ["$[?match(@, 'a|b')]", ['a', 'b', 'ab'], ['a', 'b']],
    ['$[?search(@, $[0])]', ['a+', 'xaay', 'b'], ['a+', 'xaay']],
    ['$[?match(@, 1)]', ['1'], []],
    ['$[?@ < "\uffff"]', ['a', '\u{10000}'], ['a']],
  ])('evaluates %s on %j', (path, document, values) => {
    expect(select(path, document)).toEqual(values);
  });

  it('selects the same nodes as json-p3, in the same order', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      name.map((key) => `.${key}`),
      name.map((key) => `..${key}`),
      fc.constantFrom(
        '.*',
        '..*',
        '[0]',
        '[-1]',
        '[0,1]',
        '[*,0]',
        "['a','b']",
        '[::2]',
        '[1:]',
        '[::-1]',
        '[-2:]',
      ),
      name.map((key) => `[?@.${key}]`),
      name.map((key) => `[?@.${key} == 1]`),
      name.map((key) => `[?!@.${key} || @.${key} > 0]`),
      // Without `==`, because json-p3 treats {} and [] as equal.
      name.map((key) => `..[?@ < $.${key}]`),
      fc.constantFrom(
        '[?count(@.*) > 1]',
        '[?length(@) > 1]',
        '[?@ < 2 && @ >= 0]',
        "[?search(@, 'a')]",
        '[?@[0]]',
      ),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<unknown>(0, 1, 2, 'a', 'ab', true, null),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(name, tie('tree'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 4 }), tree, (steps, document) => {
        const path = `$${steps.join('')}`;
        expect(select(path, document)).toEqual(reference(path, document as never).values());
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('JSONPath limits', () => {
  const items = Array.from({ length: 60_000 }, (_, i) => ({
    id: i,
    name: `customer ${i}`,
    tags: ['a', 'b'],
  }));
  const document = { items };
  let chain: unknown = 1;
  for (let i = 0; i < 256; i++) chain = [chain];

  it.each<[string, unknown]>([
    ['$..*..*..*..*..*..*', document],
    ['$..*..*..*..*..*..*', chain],
    [`$${'..*'.repeat(300)}`, document],
    ['$..[?$..[?$..[?$..[?@ == 5]]]]', chain],
    ['$.items[?count($..*) > 3]', document],
    ['$..[?@ == $]', { a: document, b: document }],
    ['$.items[?$.items == @.none || $.items == $.items]', { items, more: items }],
    ["$.items[?search(@.name, '(a|b|c| |u){40}z') || search($.items[0].name, @.name)]", document],
  ])('stop %s', (path, hostile) => {
    const began = process.threadCpuUsage();
    expect(() => select(path, hostile, 5)).toThrow(VisitLimitExceeded);
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(500);
  });

  it('reject filters nested more than four deep', () => {
    expect(parsePath('$[?@[?@[?@[?@]]]]')).toBeDefined();
    expect(parsePath('$[?@[?@[?@[?@[?@]]]]]')).toBeUndefined();
    expect(parsePath(`$${'[?@'.repeat(200)}${']'.repeat(200)}`)).toBeUndefined();
  });

  it('reject a path that is too long, incomplete or invalid', () => {
    for (const path of [
      '',
      'a',
      '$.',
      '$[',
      '$[?',
      `$[?${'('.repeat(900)}`,
      `$${'.a'.repeat(501)}`,
      '$.a b',
      '$~',
      '$.~',
    ]) {
      expect(parsePath(path)).toBeUndefined();
    }
    expect(parsePath(`$${'.a'.repeat(400)}`)).toBeDefined();
  });

  it.each(['(?=a)', '(a)\\\\1', '[', '((a{90}){90}){90}'])('reject the unsupported pattern %s', (pattern) => {
    expect(() => select(`$[?search(@, '${pattern}')]`, ['a'])).toThrow(UnusablePattern);
  });

  it('allow specific paths on a large document', () => {
    expect(select('$.items[?@.id == 59999].name', document, 1_000)).toEqual(['customer 59999']);
    expect(select('$..id', document, 1_000)).toHaveLength(60_000);
    expect(select('$..*', chain, 1_000)).toHaveLength(256);
  });
});
