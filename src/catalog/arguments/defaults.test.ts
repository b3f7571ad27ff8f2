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

it('stand in for what is absent, and for nothing else', () => {
  expect(withDefaults({}, schema).args).toEqual({ mode: 'fast', off: false });
  expect(withDefaults({ mode: null, off: true }, schema).args).toEqual({ mode: null, off: true });
  expect(withDefaults({ mode: 'slow', off: true, extra: 1 }, schema).args).toEqual({
    mode: 'slow',
    off: true,
    extra: 1,
  });
});

it('reach into objects that are there, through references', () => {
  expect(withDefaults({ page: {}, mode: '', off: true }, schema).args).toEqual({
    page: { size: 20, sort: ['id'] },
    mode: '',
    off: true,
  });
});

it('reach into the items of lists', () => {
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

describe('beside a reference', () => {
  const referring = (more: object) => ({
    $defs: { color: { enum: ['red', 'blue'], default: 'blue' } },
    properties: { a: { $ref: '#/$defs/color', default: 'red' }, b: { $ref: '#/$defs/color' } },
    ...more,
  });

  it('count, and before those that it leads to', () => {
    expect(withDefaults({}, referring({})).args).toEqual({ a: 'red', b: 'blue' });
  });

  it('did not count in draft 7', () => {
    const old = referring({ $schema: 'http://json-schema.org/draft-07/schema#' });
    expect(withDefaults({}, old).args).toEqual({ a: 'blue', b: 'blue' });
  });
});

it('can be left out, one by one', () => {
  expect(withDefaults({ page: {} }, schema, ['/page/size', '/off'])).toEqual({
    args: { page: { sort: ['id'] }, mode: 'fast' },
    paths: ['/mode', '/page/sort'],
  });
});

it('are copies: what one call does to one is not seen by the next', () => {
  const first = withDefaults({ page: {} }, schema).args as unknown as { page: { sort: string[] } };
  first.page.sort.push('changed');
  expect(withDefaults({ page: {} }, schema).args).toMatchObject({ page: { sort: ['id'] } });
});

it('leave the given arguments as they are', () => {
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
])('are none where the schema states none: %j', (other) => {
  expect(withDefaults({ a: 1 }, other).args).toEqual({ a: 1 });
});
