import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RepairedArguments, repairArguments } from './repair.ts';

const schema = {
  type: 'object',
  $defs: { amount: { type: 'number' } },
  properties: {
    count: { type: 'integer' },
    price: { $ref: '#/$defs/amount' },
    loud: { type: 'boolean' },
    none: { type: 'null' },
    maybe: { type: ['integer', 'null'] },
    text: { type: 'string' },
    textOrNull: { type: ['string', 'null'] },
    textOrNumber: { type: ['number', 'string'] },
    anything: {},
    list: { type: 'array', items: { type: 'integer' }, prefixItems: [{ type: 'boolean' }] },
    inner: { type: 'object', properties: { 'a/b': { type: 'integer' } } },
    self: { $ref: '#' },
  },
} as const;

function repair(args: unknown): RepairedArguments {
  return repairArguments(args, schema, 64);
}

describe('repairArguments (gateway surface §4.4)', () => {
  it.each([
    ['parse_stringified_object', '\ufeff  {"text":"x"}\n', { text: 'x' }, '/'],
    ['str_to_integer', { count: '-12' }, { count: -12 }, '/count'],
    ['str_to_number', { price: '1.5e3' }, { price: 1_500 }, '/price'],
    ['str_to_boolean', { loud: 'true' }, { loud: true }, '/loud'],
    ['str_to_boolean', { loud: 'false' }, { loud: false }, '/loud'],
    ['str_to_null', { none: 'null' }, { none: null }, '/none'],
    ['str_to_integer', { maybe: '7' }, { maybe: 7 }, '/maybe'],
    ['str_to_null', { maybe: 'null' }, { maybe: null }, '/maybe'],
    ['str_to_integer', { list: [true, '4'] }, { list: [true, 4] }, '/list/1'],
    ['str_to_boolean', { list: ['true', 4] }, { list: [true, 4] }, '/list/0'],
    ['str_to_integer', { inner: { 'a/b': '1' } }, { inner: { 'a/b': 1 } }, '/inner/a~1b'],
    [
      'str_to_integer',
      { self: { self: { count: '3' } } },
      { self: { self: { count: 3 } } },
      '/self/self/count',
    ],
  ])('applies %s to %j', (rule, args, meant, path) => {
    expect(repair(args)).toEqual({ args: meant, repairs: [{ path, rule }] });
  });

  it('applies several rules in one call', () => {
    expect(repair('{"count":"1","loud":"true"}').repairs.map(({ rule }) => rule)).toEqual([
      'parse_stringified_object',
      'str_to_integer',
      'str_to_boolean',
    ]);
  });

  it.each([
    ['is not an exact literal', { count: '1.0' }],
    ['is not an exact literal', { count: ' 1' }],
    ['is not an exact literal', { count: '+1' }],
    ['is not an exact literal', { count: '01' }],
    ['is not an exact literal', { count: '9007199254740993' }],
    ['is not finite', { price: '1e999' }],
    ['is not finite', { price: 'NaN' }],
    ['is not an exact literal', { price: '0x10' }],
    ['is not a literal of JSON', { loud: 'True' }],
    ['is not a literal of JSON', { loud: '1' }],
    ['may be a string', { text: '7' }],
    ['may be a string', { textOrNull: 'null' }],
    ['may be a string', { textOrNumber: '7' }],
    ['has no type', { anything: '7' }],
    ['is an unknown key', { unknown: '7' }],
    ['differs in case from a known key', { Count: '7' }],
    ['is a list, not an object', '[1]'],
    ['is not JSON', '{count: 7}'],
    ['is empty', ''],
  ])('keeps a value that %s: %j', (_, args) => {
    const { args: after, repairs } = repair(args);
    expect(after).toBe(args);
    expect(repairs).toEqual([]);
  });

  it('changes only strings, keeps all keys, and changes nothing the second time', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom('7', 'true', 'null'),
    );
    const keys = fc.constantFrom(...Object.keys(schema.properties), 'other');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.oneof(value, fc.array(value, { maxLength: 3 }))), (args) => {
        const { args: once, repairs } = repair(args) as { args: typeof args; repairs: readonly unknown[] };
        expect(Object.keys(once)).toEqual(Object.keys(args));
        for (const [key, before] of Object.entries(args)) {
          if (typeof before !== 'string' && !Array.isArray(before)) expect(once[key]).toBe(before);
        }
        expect(repair(once)).toEqual({ args: once, repairs: [] });
        expect(repairs.length === 0).toBe(once === args);
      }),
    );
  });
});
