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

describe('namedProperties', () => {
  it.each<[string, object, string[]]>([
    ['directly', has('a', 'b'), ['a', 'b']],
    ['in required', { required: ['a'], ...has('b') }, ['a', 'b']],
    ['in allOf', { allOf: [has('a'), has('b')] }, ['a', 'b']],
    ['in anyOf', { anyOf: [has('a'), {}, has('b')] }, ['a', 'b']],
    ['in oneOf', { ...has('c'), oneOf: [has('a'), has('b'), true] }, ['a', 'b', 'c']],
    ['in if, then and else', { if: has('a'), ['then' as string]: has('b'), else: has('c') }, ['a', 'b', 'c']],
    ['in then without if', { anyOf: [has('a')], ['then' as string]: has('b') }, ['a', 'b']],
    ['in dependentSchemas', { dependentSchemas: { a: has('b') } }, ['b']],
    ['in dependencies', { dependencies: { a: has('b'), c: ['d'] } }, ['b']],
    ['behind a reference', { $ref: '#/$defs/x', $defs: { x: has('a') } }, ['a']],
    [
      'behind a chain of references',
      { $ref: '#/$defs/x', $defs: { x: { $ref: '#/$defs/y' }, y: has('a') } },
      ['a'],
    ],
    [
      'behind references in a circle',
      { $ref: '#/$defs/x', $defs: { x: { allOf: [{ $ref: '#' }], ...has('a') } } },
      ['a'],
    ],
    ['behind a reference with escapes', { $ref: '#/$defs/a~1b%25c', $defs: { 'a/b%c': has('a') } }, ['a']],
    [
      'deep in branches',
      { allOf: [{ anyOf: [{ oneOf: [{ $ref: '#/$defs/x' }] }] }], $defs: { x: has('a') } },
      ['a'],
    ],
    ['in an empty list', { properties: {} }, []],
    ['at the top level, not below it', { properties: { a: has('b') } }, ['a']],
  ])('finds properties %s', (_, schema, names) => {
    expect(named(schema)).toEqual({ names, patterns: [], open: false });
  });

  it('collects the patterns of patternProperties', () => {
    expect(
      named({ patternProperties: { '^x': {} }, allOf: [{ patternProperties: { '^x': {}, '^y': {} } }] }),
    ).toEqual({
      names: [],
      patterns: ['^x', '^y'],
      open: false,
    });
  });

  it.each<[string, object]>([
    ['additionalProperties', { ...has('a'), additionalProperties: false }],
    ['additionalProperties in a branch', { anyOf: [{ ...has('a'), additionalProperties: true }] }],
    ['unevaluatedProperties', { allOf: [has('a')], unevaluatedProperties: { type: 'string' } }],
    ['no list of properties', {}],
    ['only a type', { type: 'object' }],
    ['only branches without properties', { anyOf: [{ minProperties: 1 }, {}] }],
    ['propertyNames', { propertyNames: { pattern: '^x' } }],
    ['a reference to an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here', ...has('a') } } }],
    ['a reference to an id', { $ref: 'other', $defs: { a: { $id: 'other', ...has('a') } } }],
  ])('is open where the schema has %s', (_, schema) => {
    expect(named(schema).open).toBe(true);
  });
});

describe('unnamedProperties', () => {
  const unnamed = (schema: object, value: unknown): string[] =>
    unnamedProperties(schema as JsonObject, value as JsonObject);

  it('lists properties that neither a name nor a pattern covers', () => {
    expect(
      unnamed({ ...has('a'), patternProperties: { '^x-': {} } }, { a: 1, b: 2, 'x-c': 3, c: 4 }),
    ).toEqual(['b', 'c']);
  });

  it('lists none where the schema is open', () => {
    expect(unnamed({ additionalProperties: true }, { a: 1 })).toEqual([]);
  });

  it('compares with own members alone', () => {
    const value = JSON.parse('{"__proto__":1,"constructor":2,"toString":3}');
    expect(unnamed({ ...has('toString') }, value)).toEqual(['__proto__', 'constructor']);
    expect(unnamed(has('a'), {})).toEqual([]);
  });

  it('lists at most 200, in bounded time', () => {
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
