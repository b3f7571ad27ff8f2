import { expect, it } from 'vitest';
import { snapshotOf } from '../../test/catalogs.ts';
import { Fault } from '../contract/errors/fault.ts';
import { schemaPart } from './schema-part.ts';

const inputSchema = {
  type: 'object',
  $defs: { place: { type: 'object', properties: { 'a/b': { type: 'string' } } } },
  properties: {
    to: { $ref: '#/$defs/place' },
    via: { type: 'array', items: { $ref: '#/properties/to' } },
    loop: { $ref: '#/properties/loop' },
  },
};
const [tool] = snapshotOf({ x: [{ name: 'go', inputSchema }] }).contracts;

it.each([
  ['#', inputSchema],
  ['#/properties/to', inputSchema.$defs.place],
  ['#/properties/via', inputSchema.properties.via],
  ['#/properties/via/items', inputSchema.$defs.place],
  ['#/$defs/place/properties/a~1b', { type: 'string' }],
])('finds %s', (pointer, part) => {
  expect(schemaPart(tool!, pointer)).toEqual(part);
});

it('ends where references form a circle', () => {
  expect(schemaPart(tool!, '#/properties/loop')).toEqual({ $ref: '#/properties/loop' });
});

it.each(['', 'properties/to', '/properties/to', '#/nothing', '#/__proto__', '#/properties/to/'])(
  'refuses %j',
  (pointer) => {
    expect(() => schemaPart(tool!, pointer)).toThrow(Fault);
  },
);
