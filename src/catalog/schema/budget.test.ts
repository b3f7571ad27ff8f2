import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json/json.ts';
import {
  DEFAULT_SCHEMA_LIMITS,
  hasTooManyNames,
  inspectSchema,
  isTooDeep,
  type SchemaLimits,
} from './budget.ts';

function refused(schema: object, limits: Partial<SchemaLimits> = {}): readonly string[] {
  return inspectSchema(schema as JsonObject, { ...DEFAULT_SCHEMA_LIMITS, ...limits }).refused;
}

function nested(levels: number, inner: unknown = {}): object {
  let value: unknown = inner;
  for (let i = 0; i < levels; i++) value = { a: value };
  return value as object;
}

const ref = ($ref: string, extra: object = {}): object => ({ properties: { x: { $ref } }, ...extra });
const OUTSIDE =
  'a $ref leads outside of the schema and is never fetched; move the definition into the schema';
const NOWHERE = 'a $ref leads to nothing; add the definition or correct the $ref';
const TOO_DEEP = 'nested deeper than 32 levels (limit: catalog.maxSchemaDepth)';

describe('inspectSchema limits', () => {
  it('refuses a schema that is too deep, in its data too', () => {
    expect(refused(nested(31))).toEqual([]);
    expect(refused(nested(32))).toEqual([TOO_DEEP]);
    expect(refused({ enum: [nested(31)] })).toEqual([TOO_DEEP]);
    expect(refused({ default: nested(100_000) })).toEqual([TOO_DEEP]);
  });

  it('refuses a schema by its bytes, not by its characters', () => {
    expect(refused({ title: 'x'.repeat(65_000) })).toEqual([]);
    expect(refused({ title: '漢'.repeat(22_000) })).toEqual([
      'larger than 65536 bytes (limit: catalog.maxSchemaBytes)',
    ]);
  });

  it('counts the properties of all subschemas', () => {
    const properties = (count: number, prefix: string): object =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, true]));
    expect(refused({ properties: properties(512, 'p') })).toEqual([]);
    expect(refused({ properties: properties(513, 'p') })).toEqual([
      'more than 512 properties (limit: catalog.maxSchemaProperties)',
    ]);
    const both = { properties: { a: { properties: properties(300, 'p') }, ...properties(300, 'q') } };
    expect(refused(both)).toEqual(['more than 512 properties (limit: catalog.maxSchemaProperties)']);
    expect(refused({ const: { properties: properties(600, 'p') } })).toEqual([]);
  });

  it('refuses a schema with too many subschemas', () => {
    expect(refused({ anyOf: Array.from({ length: 2_000 }, () => ({})) })).toEqual([
      'more than 2000 subschemas (limit: four times catalog.maxSchemaProperties)',
    ]);
  });

  it('uses the limits of the operator', () => {
    expect(refused(nested(5), { maxDepth: 5 })).toEqual([
      'nested deeper than 5 levels (limit: catalog.maxSchemaDepth)',
    ]);
    expect(refused({ title: 'x'.repeat(100) }, { maxBytes: 100 })).toEqual([
      'larger than 100 bytes (limit: catalog.maxSchemaBytes)',
    ]);
    expect(refused({ properties: { a: true, b: true } }, { maxProperties: 1 })).toEqual([
      'more than 1 properties (limit: catalog.maxSchemaProperties)',
    ]);
  });

  it('has hard limits that no setting changes', () => {
    expect(isTooDeep(nested(255) as JsonObject)).toBe(false);
    expect(isTooDeep(nested(256) as JsonObject)).toBe(true);
    const names = Array.from({ length: 6_000 }, (_, i) => `p${i}`);
    const properties = Object.fromEntries(names.map((name) => [name, true]));
    expect(hasTooManyNames({ properties })).toBe(false);
    expect(hasTooManyNames({ properties, required: names })).toBe(true);
  });

  it('refuses an object that contains itself', () => {
    const circle: Record<string, unknown> = {};
    circle.properties = { a: circle };
    expect(refused(circle)).toEqual([TOO_DEEP]);
  });
});

describe('inspectSchema references', () => {
  it.each<[string, object]>([
    ['to the root', ref('#')],
    ['to a definition', ref('#/$defs/a', { $defs: { a: {} } })],
    ['to a definition with escapes', ref('#/$defs/a~1b%20c', { $defs: { 'a/b c': {} } })],
    ['to an item of a list', ref('#/allOf/1', { allOf: [{}, {}] })],
    ['to an anchor', ref('#a', { $defs: { x: { $anchor: 'a' } } })],
    ['to an anchor of draft-07', ref('#a', { definitions: { x: { $id: '#a' } } })],
    ['to an id', ref('https://x.example/a', { $defs: { x: { $id: 'https://x.example/a' } } })],
    [
      'to a relative id',
      ref('a', { $id: 'https://x.example/root', $defs: { x: { $id: 'https://x.example/a' } } }),
    ],
    [
      'to its own id',
      ref('https://x.example/root#/$defs/a', { $id: 'https://x.example/root', $defs: { a: {} } }),
    ],
    ['in a circle', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['that are only data', { const: { $ref: 'http://x.example/' }, default: { $ref: '#/none' } }],
    ['that are only names', { properties: { $ref: { type: 'string' } } }],
  ])('accepts references %s', (_, schema) => {
    expect(refused(schema)).toEqual([]);
  });

  it.each([
    'http://127.0.0.1:1/schema.json',
    'https://json-schema.org/draft/2020-12/schema',
    'file:///etc/passwd',
    '//evil.example/x',
    'other.json#/a',
    'data:application/json,{}',
  ])('refuses a reference to another document: %s', ($ref) => {
    expect(refused(ref($ref))).toEqual([OUTSIDE]);
    expect(refused({ allOf: [{ not: { items: { $dynamicRef: $ref } } }] })).toEqual([OUTSIDE]);
    expect(refused({ 'x-unknown': { $ref } })).toEqual([OUTSIDE]);
  });

  it.each([
    '#/$defs/none',
    '#/properties/x/none',
    '#none',
    '#/$defs/__proto__',
    '#/$defs/constructor',
    '#/allOf/9',
  ])('refuses a reference to nothing: %s', ($ref) => {
    expect(refused(ref($ref, { $defs: {}, allOf: [{}] }))).toEqual([NOWHERE]);
  });
});

describe('inspectSchema patterns', () => {
  it('reports a pattern that does not run in linear time as unenforced', () => {
    const { refused: reasons, unenforced } = inspectSchema(
      { properties: { a: { pattern: '(?=x)' }, b: { pattern: '(a)\\1' }, c: { pattern: '^ok$' } } },
      DEFAULT_SCHEMA_LIMITS,
    );
    expect(reasons).toEqual([]);
    expect(unenforced).toEqual([
      'a pattern does not run in linear time, so only the upstream can enforce it',
    ]);
  });

  it('refuses a key pattern that does not run in linear time', () => {
    expect(refused({ patternProperties: { '(?<!x)a': {} } })).toEqual([
      'a pattern of patternProperties does not run in linear time; use no look-around and no back-references',
    ]);
  });

  it('refuses patterns that take too long to compile together', () => {
    const pattern = (i: number): string => `(?:abcdefghij${i}){900}`;
    const schema = { allOf: Array.from({ length: 300 }, (_, i) => ({ pattern: pattern(i) })) };
    const began = process.threadCpuUsage();
    expect(refused(schema)).toEqual(['its patterns are too large together; use smaller repetitions']);
    expect(refused({ allOf: [{ pattern: pattern(1) }, { pattern: pattern(1) }] })).toEqual([]);
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(500);
  });
});
