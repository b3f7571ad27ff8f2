import { describe, expect, it } from 'vitest';
import { dialectOf, findSchemaDefect } from './dialect.ts';

describe('dialectOf', () => {
  it.each([
    [{}, '2020-12'],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema' }, '2020-12'],
    [{ $schema: 'http://json-schema.org/draft/2020-12/schema#' }, '2020-12'],
    [{ $schema: 'https://json-schema.org/draft/2019-09/schema' }, '2019-09'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, 'draft-07'],
    [{ $schema: 'https://json-schema.org/draft-07/schema' }, 'draft-07'],
    [{ $schema: 'http://json-schema.org/draft-06/schema#' }, 'draft-07'],
    [{ $schema: 'http://json-schema.org/schema#' }, 'draft-07'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, undefined],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema/evil' }, undefined],
    [{ $schema: 'https://evil.example/?https://json-schema.org/draft/2020-12/schema' }, undefined],
    [{ $schema: null }, undefined],
    [{ $schema: true }, undefined],
  ])('reads %j as %s', (schema, dialect) => {
    expect(dialectOf(schema)).toBe(dialect);
  });
});

describe('findSchemaDefect', () => {
  it.each([
    {},
    { type: 'object', properties: { a: true, b: false, c: {} } },
    { $schema: 'http://json-schema.org/draft-06/schema#', items: [{}], definitions: {} },
    { $schema: 'https://json-schema.org/draft-07/schema', items: [{}] },
    { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{}], $recursiveRef: '#' },
    { 'x-anything': 1, unknown: { type: 'whatever' } },
    { pattern: '(?=not for us to judge)' },
    { $async: true },
  ])('finds none in %j', (schema) => {
    expect(findSchemaDefect(schema as object as Parameters<typeof findSchemaDefect>[0])).toBeUndefined();
  });

  it.each<[object, RegExp]>([
    [{ type: 'strnig' }, /\/type must be/],
    [{ type: null }, /\/type/],
    [{ properties: [] }, /\/properties must be object/],
    [{ properties: { a: 7 } }, /\/properties\/a must be object,boolean/],
    [{ required: 'a' }, /\/required must be array/],
    [{ required: [1] }, /\/required\/0 must be string/],
    [{ enum: 'a' }, /\/enum must be array/],
    [{ minLength: -1 }, /\/minLength must be >= 0/],
    [{ multipleOf: 0 }, /\/multipleOf must be > 0/],
    [{ items: [{}] }, /\/items must be object,boolean/],
    [{ anyOf: [] }, /\/anyOf must NOT have fewer than 1 items/],
    [{ $ref: 7 }, /\/\$ref must be string/],
    [{ $id: '#fragment' }, /\/\$id must match pattern/],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', required: ['a', 'a'] }, /duplicate/],
    [{ $schema: 'urn:unknown' }, /it declares an unknown \$schema/],
  ])('describes the defect of %j', (schema, reason) => {
    expect(findSchemaDefect(schema as Parameters<typeof findSchemaDefect>[0])).toMatch(reason);
  });
});
