import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json.ts';
import { schemaNodes, schemasInPlace } from './schema-walk.ts';

function subschemas(schema: unknown): unknown[] {
  return [...schemaNodes(schema)].filter(({ isSchema }) => isSchema).map(({ value }) => value.t);
}

describe('schemaNodes', () => {
  it.each<[string, object]>([
    ['properties', { properties: { a: { t: 1 } } }],
    ['items', { items: { t: 1 } }],
    ['a list', { allOf: [{ t: 1 }] }],
    ['definitions', { $defs: { a: { t: 1 } } }],
    ['dependent schemas', { dependentSchemas: { a: { t: 1 } } }],
    ['dependencies of draft-07', { dependencies: { a: { t: 1 } } }],
    ['a property that has the name of a data keyword', { properties: { enum: { t: 1 }, default: true } }],
    ['an unknown keyword', { 'x-word': { t: 1 } }],
  ])('finds a subschema in %s', (_, schema) => {
    expect(subschemas(schema)).toContain(1);
  });

  it.each<[string, object]>([
    ['enum', { enum: [{ t: 1 }] }],
    ['const', { const: { t: 1 } }],
    ['default', { default: { t: 1 } }],
    ['examples', { examples: [{ t: 1 }] }],
    ['dependentRequired', { dependentRequired: { t: 1 } }],
  ])('finds no subschema in the data of %s', (_, schema) => {
    expect(subschemas(schema)).not.toContain(1);
  });

  it('distinguishes a map of subschemas from a subschema', () => {
    expect(
      [...schemaNodes({ properties: { properties: { properties: {} } } })].map(({ isSchema }) => isSchema),
    ).toEqual([true, false, true, false]);
  });

  it('walks a deep schema without recursion', () => {
    let deep: object = {};
    for (let i = 0; i < 200_000; i++) deep = { items: deep };
    expect([...schemaNodes(deep)]).toHaveLength(200_001);
  });

  it.each([null, true, 7, 'x', []])('finds nothing in %j', (value) => {
    expect([...schemaNodes(value)]).toEqual([]);
  });
});

describe('schemasInPlace', () => {
  const marks = (schema: object, targetsOf: (schema: JsonObject) => unknown[] = () => []): unknown[] =>
    [...schemasInPlace([schema], targetsOf)].map(({ t }) => t).filter((mark) => mark !== undefined);

  it.each<[string, object]>([
    ['the schema itself', { t: 1 }],
    ['allOf', { allOf: [{}, { t: 1 }] }],
    ['anyOf', { anyOf: [true, { t: 1 }] }],
    ['oneOf', { oneOf: [{ t: 1 }] }],
    ['if', { if: { t: 1 } }],
    ['then', { ['then' as string]: { t: 1 } }],
    ['else', { else: { t: 1 } }],
    ['dependentSchemas', { dependentSchemas: { a: { t: 1 } } }],
    ['dependencies', { dependencies: { a: { t: 1 }, b: ['c'] } }],
    ['several levels', { allOf: [{ anyOf: [{ if: { t: 1 } }] }] }],
  ])('finds %s', (_, schema) => {
    expect(marks(schema)).toEqual([1]);
  });

  it.each<[string, object]>([
    ['properties', { properties: { a: { t: 1 } } }],
    ['items', { items: { t: 1 }, prefixItems: [{ t: 1 }] }],
    ['not', { not: { t: 1 } }],
    ['definitions', { $defs: { a: { t: 1 } } }],
  ])('leaves out %s, which describe another value', (_, schema) => {
    expect(marks(schema)).toEqual([]);
  });

  it('follows references, also in a circle', () => {
    const root = { allOf: [{ $ref: 'other' }], t: 1 };
    const other = { allOf: [{ $ref: 'root' }], t: 2 };
    const targets: Record<string, object> = { root, other };
    const targetsOf = ({ $ref }: JsonObject): unknown[] => (typeof $ref === 'string' ? [targets[$ref]] : []);
    expect(marks(root, targetsOf).sort()).toEqual([1, 2]);
  });

  it('takes as many subschemas as a schema has', () => {
    const wide = { anyOf: Array.from({ length: 200_000 }, () => ({ t: 1 })) };
    expect(marks(wide)).toHaveLength(200_000);
  });
});
