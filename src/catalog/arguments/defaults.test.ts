import { expect, it } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
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
  expect(withDefaults({}, schema)).toEqual({ mode: 'fast', off: false });
  expect(withDefaults({ mode: null, off: true }, schema)).toEqual({ mode: null, off: true });
  expect(withDefaults({ mode: 'slow', off: true, extra: 1 }, schema)).toEqual({
    mode: 'slow',
    off: true,
    extra: 1,
  });
});

it('reach into objects that are there, through references', () => {
  expect(withDefaults({ page: {}, mode: '', off: true }, schema)).toEqual({
    page: { size: 20, sort: ['id'] },
    mode: '',
    off: true,
  });
});

it('are copies: what one call does to one is not seen by the next', () => {
  const first = withDefaults({ page: {} }, schema) as { page: { sort: string[] } };
  first.page.sort.push('changed');
  expect(withDefaults({ page: {} }, schema)).toMatchObject({ page: { sort: ['id'] } });
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
  expect(withDefaults({ a: 1 }, other)).toEqual({ a: 1 });
});
