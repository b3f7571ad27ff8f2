import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json/json.ts';
import { withDefaults } from './defaults.ts';

const schema = {
  type: 'object',
  $defs: { page: { type: 'object', properties: { size: { default: 20 }, sort: { default: ['id'] } } } },
  properties: {
    page: { $ref: '#/$defs/page' },
    mode: { default: 'fast' },
    off: { default: false },
    none: {},
  },
};

it('fills absent members and changes no present one', () => {
  expect(withDefaults({}, schema).args).toEqual({ mode: 'fast', off: false });
  expect(withDefaults({ mode: null, off: true }, schema).args).toEqual({ mode: null, off: true });
  expect(withDefaults({ mode: 'slow', off: true, extra: 1 }, schema).args).toEqual({
    mode: 'slow',
    off: true,
    extra: 1,
  });
});

it('fills members of present objects, through references', () => {
  expect(withDefaults({ page: {}, mode: '', off: true }, schema).args).toEqual({
    page: { size: 20, sort: ['id'] },
    mode: '',
    off: true,
  });
});

it('fills members of list items', () => {
  const list = {
    properties: {
      rows: { items: { $ref: '#/$defs/row' }, prefixItems: [{ properties: { first: { default: true } } }] },
    },
    $defs: {
      row: { properties: { n: { default: 1 }, more: { items: { properties: { m: { default: 2 } } } } } },
    },
  };
  expect(withDefaults({ rows: [{}, { more: [{}] }, 7] }, list)).toEqual({
    args: { rows: [{ first: true }, { more: [{ m: 2 }], n: 1 }, 7] },
    paths: ['/rows/0/first', '/rows/1/n', '/rows/1/more/0/m'],
  });
});

describe('a default beside a reference', () => {
  const referring = (more: object) => ({
    $defs: { color: { enum: ['red', 'blue'], default: 'blue' } },
    properties: { a: { $ref: '#/$defs/color', default: 'red' }, b: { $ref: '#/$defs/color' } },
    ...more,
  });

  it('wins over the default of the target', () => {
    expect(withDefaults({}, referring({})).args).toEqual({ a: 'red', b: 'blue' });
  });

  it('is ignored in draft-07', () => {
    const old = referring({ $schema: 'http://json-schema.org/draft-07/schema#' });
    expect(withDefaults({}, old).args).toEqual({ a: 'blue', b: 'blue' });
  });
});

it('skips the given pointers', () => {
  expect(withDefaults({ page: {} }, schema, ['/page/size', '/off'])).toEqual({
    args: { page: { sort: ['id'] }, mode: 'fast' },
    paths: ['/mode', '/page/sort'],
  });
});

it('fills in copies, so that calls do not share values', () => {
  const first = withDefaults({ page: {} }, schema).args as unknown as { page: { sort: string[] } };
  first.page.sort.push('changed');
  expect(withDefaults({ page: {} }, schema).args).toMatchObject({ page: { sort: ['id'] } });
});

it('does not change the given arguments', () => {
  const args = { page: {} };
  withDefaults(args, schema);
  expect(args).toEqual({ page: {} });
});

it.each<JsonObject>([
  {},
  { properties: [] },
  { properties: { a: true } },
  { $ref: '#/nowhere' },
  { $ref: '#' },
])('fills nothing where the schema has no defaults: %j', (other) => {
  expect(withDefaults({ a: 1 }, other).args).toEqual({ a: 1 });
});
