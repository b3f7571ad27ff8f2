import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json/json.ts';
import { namedProperties, unnamedProperties } from './named-properties.ts';

function named(schema: object): { names: string[]; patterns: readonly string[]; open: boolean } {
  const { names, patterns, open } = namedProperties(schema as JsonObject);
  return { names: [...names].sort(), patterns, open };
}

const has = (...names: string[]): object => ({
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});

describe('the properties that a schema names', () => {
  it.each<[string, object, string[]]>([
    ['directly', has('a', 'b'), ['a', 'b']],
    ['by wanting them', { required: ['a'], ...has('b') }, ['a', 'b']],
    ['in all of', { allOf: [has('a'), has('b')] }, ['a', 'b']],
    ['in any of', { anyOf: [has('a'), {}, has('b')] }, ['a', 'b']],
    ['in one of', { ...has('c'), oneOf: [has('a'), has('b'), true] }, ['a', 'b', 'c']],
    ['under conditions', { if: has('a'), ['then' as string]: has('b'), else: has('c') }, ['a', 'b', 'c']],
    ['after a condition that says nothing', { anyOf: [has('a')], ['then' as string]: has('b') }, ['a', 'b']],
    ['beside others', { dependentSchemas: { a: has('b') } }, ['b']],
    ['beside others, the old way', { dependencies: { a: has('b'), c: ['d'] } }, ['b']],
    ['by reference', { $ref: '#/$defs/x', $defs: { x: has('a') } }, ['a']],
    [
      'by a chain of references',
      { $ref: '#/$defs/x', $defs: { x: { $ref: '#/$defs/y' }, y: has('a') } },
      ['a'],
    ],
    [
      'by references in a circle',
      { $ref: '#/$defs/x', $defs: { x: { allOf: [{ $ref: '#' }], ...has('a') } } },
      ['a'],
    ],
    ['by a reference with escapes', { $ref: '#/$defs/a~1b%25c', $defs: { 'a/b%c': has('a') } }, ['a']],
    [
      'deep in branches',
      { allOf: [{ anyOf: [{ oneOf: [{ $ref: '#/$defs/x' }] }] }], $defs: { x: has('a') } },
      ['a'],
    ],
    ['nowhere', {}, []],
    ['inside of others only', { properties: { a: has('b') } }, ['a']],
  ])('%s', (_, schema, names) => {
    expect(named(schema)).toEqual({ names, patterns: [], open: false });
  });

  it('may be named by patterns', () => {
    expect(
      named({ patternProperties: { '^x': {} }, allOf: [{ patternProperties: { '^x': {}, '^y': {} } }] }),
    ).toEqual({
      names: [],
      patterns: ['^x', '^y'],
      open: false,
    });
  });

  it.each<[string, object]>([
    ['additional ones', { ...has('a'), additionalProperties: false }],
    ['additional ones in a branch', { anyOf: [{ ...has('a'), additionalProperties: true }] }],
    ['unevaluated ones', { allOf: [has('a')], unevaluatedProperties: { type: 'string' } }],
    ['names', { propertyNames: { pattern: '^x' } }],
    ['an anchor, which may name any', { $ref: '#here', $defs: { a: { $anchor: 'here', ...has('a') } } }],
    ['an id, which may name any', { $ref: 'other', $defs: { a: { $id: 'other', ...has('a') } } }],
  ])('are not for us to judge where the schema speaks of %s', (_, schema) => {
    expect(named(schema).open).toBe(true);
  });
});

describe('the properties that a schema does not name', () => {
  const unnamed = (schema: object, value: unknown): string[] =>
    unnamedProperties(schema as JsonObject, value as JsonObject);

  it('are those of the value beside names and patterns', () => {
    expect(
      unnamed({ ...has('a'), patternProperties: { '^x-': {} } }, { a: 1, b: 2, 'x-c': 3, c: 4 }),
    ).toEqual(['b', 'c']);
  });

  it('are none where the schema is open', () => {
    expect(unnamed({ additionalProperties: true }, { a: 1 })).toEqual([]);
  });

  it('are told by their own names only', () => {
    const value = JSON.parse('{"__proto__":1,"constructor":2,"toString":3}');
    expect(unnamed({ ...has('toString') }, value)).toEqual(['__proto__', 'constructor']);
    expect(unnamed(has('a'), {})).toEqual([]);
  });

  it('are no more than anybody reads, and found in no time', () => {
    const many = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, i) => [`k${'ab'.repeat(10)}${i}`, 1]),
    );
    const patterns = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`(a|b)*c${i}`, {}]));
    const began = process.threadCpuUsage();
    expect(unnamed(has('a'), many)).toHaveLength(200);
    expect(unnamed({ patternProperties: patterns }, many).length).toBeLessThanOrEqual(200);
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
