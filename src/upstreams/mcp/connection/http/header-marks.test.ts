import { describe, expect, it } from 'vitest';
import { findHeaderDefect } from './header-marks.ts';

const REGION = { type: 'string', 'x-mcp-header': 'Region' };

describe('findHeaderDefect', () => {
  it.each([
    ['no mark', { a: { type: 'string' } }],
    [
      'marks on properties of each allowed type',
      { a: REGION, b: { type: 'integer', 'x-mcp-header': 'Level' } },
    ],
    ['a mark on a property of a property', { a: { type: 'object', properties: { b: REGION } } }],
    ['a property that has the name of the mark', { 'x-mcp-header': { type: 'string' } }],
  ])('accepts %s', (_, properties) => {
    expect(findHeaderDefect({ type: 'object', properties })).toBeUndefined();
  });

  const elsewhere = 'is allowed on properties of properties only';
  const header = 'must be a header name';
  const type = 'requires the type string, integer or boolean';
  it.each([
    ['the root', { 'x-mcp-header': 'Region', type: 'string' }, elsewhere],
    ['items', { properties: { a: { type: 'array', items: REGION } } }, elsewhere],
    ['properties of items', { properties: { a: { items: { properties: { b: REGION } } } } }, elsewhere],
    ['a branch', { properties: { a: { oneOf: [REGION] } } }, elsewhere],
    ['a definition', { $defs: { a: REGION } }, elsewhere],
    ['an empty name', { properties: { a: { ...REGION, 'x-mcp-header': '' } } }, header],
    ['a name that is no text', { properties: { a: { ...REGION, 'x-mcp-header': 7 } } }, header],
    ['a name with a space', { properties: { a: { ...REGION, 'x-mcp-header': 'My Region' } } }, header],
    ['a name with a line break', { properties: { a: { ...REGION, 'x-mcp-header': 'A\r\nB' } } }, header],
    ['a number', { properties: { a: { ...REGION, type: 'number' } } }, type],
    ['no type', { properties: { a: { 'x-mcp-header': 'Region' } } }, type],
    [
      'two names that differ in case only',
      { properties: { a: REGION, b: { ...REGION, 'x-mcp-header': 'REGION' } } },
      'must name each header once',
    ],
  ])('refuses %s', (_, schema, rule) => {
    expect(findHeaderDefect(schema)).toBe(`input schema: x-mcp-header ${rule}; the upstream must correct it`);
  });
});
