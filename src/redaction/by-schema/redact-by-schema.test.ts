import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json/json.ts';
import { redactBySchema } from './redact-by-schema.ts';

const PII = '[redacted:pii]';
const pii: JsonObject = { 'x-sensitivity': 'pii' };

describe('redactBySchema', () => {
  it.each<[string, JsonObject, unknown, unknown]>([
    ['a property', { properties: { a: pii } }, { a: 'x', b: 'y' }, { a: PII, b: 'y' }],
    ['a number', { properties: { a: pii } }, { a: 5 }, { a: PII }],
    ['an object', { properties: { a: pii } }, { a: { b: 1 } }, { a: PII }],
    ['a list, item by item', { properties: { a: pii } }, { a: ['x', 2, [3]] }, { a: [PII, PII, PII] }],
    ['the whole value', pii, 'x', PII],
    ['items', { items: pii }, ['x', 'y'], [PII, PII]],
    ['an item of prefixItems', { prefixItems: [{}, pii], items: {} }, ['x', 'y', 'z'], ['x', PII, 'z']],
    [
      'an item of a list in items, as in draft-07',
      { items: [pii], additionalItems: {} },
      ['x', 'y'],
      [PII, 'y'],
    ],
    [
      'additional properties',
      { properties: { a: {} }, additionalProperties: pii },
      { a: 1, b: 2 },
      { a: 1, b: PII },
    ],
    [
      'properties by pattern',
      { patternProperties: { '^p_': pii } },
      { p_a: 'x', q: 'y' },
      { p_a: PII, q: 'y' },
    ],
    [
      'properties by a pattern with a repetition',
      { patternProperties: { '^p{2,3}$': pii } },
      { pp: 'x', p: 'y' },
      { pp: PII, p: 'y' },
    ],
    [
      'properties by a pattern that does not run in linear time',
      { patternProperties: { '(?=p)': pii } },
      { q: 'y' },
      { q: PII },
    ],
    [
      'properties by a pattern that is too large',
      { patternProperties: { '^(?:p{900}){2}$': pii } },
      { q: 'y' },
      { q: PII },
    ],
    [
      'a property whose name is too long for its pattern',
      { patternProperties: { '^p{90}$': pii } },
      { ['q'.repeat(10_000)]: 'y' },
      { ['q'.repeat(10_000)]: PII },
    ],
    ['a property in allOf', { allOf: [{ properties: { a: pii } }] }, { a: 'x' }, { a: PII }],
    [
      'a property in one branch of anyOf',
      { anyOf: [{}, { properties: { a: pii } }] },
      { a: 'x' },
      { a: PII },
    ],
    ['items in oneOf', { items: { oneOf: [pii, {}] } }, ['x'], [PII]],
    [
      'a property in dependentSchemas',
      { dependentSchemas: { b: { properties: { a: pii } } } },
      { a: 'x' },
      { a: PII },
    ],
    [
      'a property in dependencies of draft-07',
      { dependencies: { b: { properties: { a: pii } }, c: ['d'] } },
      { a: 'x' },
      { a: PII },
    ],
    ['a property in else', { if: {}, else: { properties: { a: pii } } }, { a: 'x' }, { a: PII }],
    [
      'a property behind a reference',
      { $defs: { n: pii }, properties: { a: { $ref: '#/$defs/n' } } },
      { a: 'x' },
      { a: PII },
    ],
    [
      'a property behind an anchor',
      { $defs: { n: { $anchor: 'n', ...pii } }, properties: { a: { $ref: '#n' } } },
      { a: 'x' },
      { a: PII },
    ],
    [
      'items behind an escaped pointer',
      { $defs: { 'a/b': pii }, items: { $ref: '#/$defs/a~1b' } },
      ['x'],
      [PII],
    ],
    [
      'items with several marks, by the most sensitive',
      { items: { 'x-sensitivity': ['pii', 'credential'] } },
      ['x'],
      ['[redacted:credential]'],
    ],
  ])('redacts %s', (_, schema, value, redacted) => {
    expect(redactBySchema(value, schema).value).toEqual(redacted);
    expect(redactBySchema(redacted, schema)).toEqual({ value: redacted, found: {} });
  });

  it('keeps booleans and null', () => {
    const value = { a: true, b: null };
    expect(redactBySchema(value, { additionalProperties: pii })).toEqual({ value, found: {} });
  });

  it('follows a schema that refers to itself', () => {
    const schema: JsonObject = { properties: { next: { $ref: '#' }, name: pii }, allOf: [{ $ref: '#' }] };
    expect(redactBySchema({ name: 'a', next: { name: 'b', next: {} } }, schema)).toEqual({
      value: { name: PII, next: { name: PII, next: {} } },
      found: { pii: 2 },
    });
  });

  it.each<[string, JsonObject]>([
    ['no mark', { properties: { a: {} } }],
    ['an unknown mark', { properties: { a: { 'x-sensitivity': 'public' } } }],
    ['a mark on another property', { properties: { b: pii } }],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/none' }, b: pii } }],
    ['a reference to another document', { properties: { a: { $ref: 'https://example.com/s' }, b: pii } }],
  ])('returns the same value for %s', (_, schema) => {
    const value = { a: 'x' };
    expect(redactBySchema(value, schema).value).toBe(value);
  });

  it('redacts as a whole a value that is too deep to walk', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 20_000; i++) deep = { next: deep };
    const schema: JsonObject = { properties: { next: { $ref: '#' }, name: pii } };
    expect(redactBySchema(deep, schema).found).toEqual({ secret: 1 });
  });
});
