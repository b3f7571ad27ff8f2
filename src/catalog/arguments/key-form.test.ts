import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admissionOf, ECHO } from '../../../test/recording-deps.ts';
import type { JsonObject } from '../../base/json/json.ts';
import type { ArgumentRules } from '../../contract/tool/tool.ts';
import { keyInForm } from './key-form.ts';

const KEY = hash('sha256', 'order-41');
const schemaWith = (id: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { id },
  ...more,
});

describe('a key in the form of an argument', () => {
  it.each<[string, JsonObject, string]>([
    ['is as it is', { type: 'string' }, KEY],
    ['fits a length', { type: 'string', maxLength: 45 }, KEY.slice(0, 45)],
    ['is never cut so short that two could meet', { type: 'string', maxLength: 31 }, KEY],
  ])('%s', (_, member, expected) => {
    expect(keyInForm(KEY, 'id', schemaWith(member))).toBe(expected);
  });

  it('is a UUID of version 8 where the argument is one, another for another key', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 }), (keys) => {
        const [one, other] = keys.map((key) =>
          keyInForm(hash('sha256', key), 'id', schemaWith({ type: 'string', format: 'uuid' })),
        );
        expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(one).not.toBe(other);
      }),
    );
  });
});

describe('a tool that is to take keys in an argument', () => {
  const admitted = (inputSchema: JsonObject, argumentRules?: ArgumentRules) =>
    admissionOf(
      [{ ...ECHO, inputSchema, declared: { idempotencyKeyArgument: 'id' } }],
      argumentRules && { argumentRules },
    ).report;

  it.each<[string, JsonObject, string]>([
    ['has none of that name', { type: 'object', properties: {} }, 'it has no such argument'],
    [
      'has none of that name and allows no other',
      { type: 'object', properties: {}, additionalProperties: false },
      'its schema does not take the keys',
    ],
    [
      'has no room for them',
      schemaWith({ type: 'string', maxLength: 31 }),
      'its schema does not take the keys',
    ],
    ['takes numbers', schemaWith({ type: 'integer' }), 'its schema does not take the keys'],
    [
      'takes other texts',
      schemaWith({ type: 'string', pattern: '^order-' }),
      'its schema does not take the keys',
    ],
  ])('is refused where it %s', (_, schema, reason) => {
    expect(admitted(schema)).toMatchObject({
      registered: 0,
      findings: [
        { kind: 'refused', code: 'TERMS', reason: expect.stringContaining(`keyArgument "id": ${reason}`) },
      ],
    });
  });

  it.each<JsonObject>([
    schemaWith({ type: 'string', format: 'uuid' }),
    schemaWith({ type: 'string', maxLength: 45 }),
    schemaWith({ type: 'string' }, { required: ['other'] }),
    schemaWith(
      { $ref: '#/$defs/key' },
      { $defs: { key: { type: 'string', format: 'uuid', maxLength: 36 } } },
    ),
    { type: 'object', additionalProperties: true },
  ])('is taken in with %j', (schema) => {
    expect(admitted(schema)).toMatchObject({ registered: 1, findings: [] });
  });

  it('may leave its arguments to the upstream', () => {
    const rules: ArgumentRules = { unknown: 'pass', tolerant: false, defaults: true };
    expect(admitted({ type: 'object', properties: {} }, rules)).toMatchObject({ registered: 1 });
  });
});
