import { describe, expect, it } from 'vitest';
import { schemaNodes } from './walk.ts';

function subschemas(schema: unknown): unknown[] {
  return [...schemaNodes(schema)].filter(({ isSchema }) => isSchema).map(({ value }) => value.t);
}

describe('the nodes of a schema', () => {
  it.each<[string, object]>([
    ['properties', { properties: { a: { t: 1 } } }],
    ['items', { items: { t: 1 } }],
    ['a list', { allOf: [{ t: 1 }] }],
    ['definitions', { $defs: { a: { t: 1 } } }],
    ['dependent schemas', { dependentSchemas: { a: { t: 1 } } }],
    ['dependencies of old', { dependencies: { a: { t: 1 } } }],
    ['a name that looks like data', { properties: { enum: { t: 1 }, default: true } }],
    ['a word that nobody knows', { 'x-word': { t: 1 } }],
  ])('are found in %s', (_, schema) => {
    expect(subschemas(schema)).toContain(1);
  });

  it.each<[string, object]>([
    ['enum', { enum: [{ t: 1 }] }],
    ['const', { const: { t: 1 } }],
    ['default', { default: { t: 1 } }],
    ['examples', { examples: [{ t: 1 }] }],
    ['dependentRequired', { dependentRequired: { t: 1 } }],
  ])('are not in the data of %s', (_, schema) => {
    expect(subschemas(schema)).not.toContain(1);
  });

  it('tell a map of subschemas from a subschema', () => {
    expect(
      [...schemaNodes({ properties: { properties: { properties: {} } } })].map(({ isSchema }) => isSchema),
    ).toEqual([true, false, true, false]);
  });

  it('are found without recursion', () => {
    let deep: object = {};
    for (let i = 0; i < 200_000; i++) deep = { items: deep };
    expect([...schemaNodes(deep)]).toHaveLength(200_001);
  });

  it.each([null, true, 7, 'x', []])('are none in %j', (value) => {
    expect([...schemaNodes(value)]).toEqual([]);
  });
});
