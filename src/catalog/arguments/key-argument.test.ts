import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admissionOf, ECHO } from '../../../test/recording-deps.ts';
import type { JsonObject } from '../../base/json/json.ts';
import type { ArgumentRules } from '../../contract/tool/tool.ts';
import { formatKey } from './key-argument.ts';

const KEY = hash('sha256', 'order-41');
const schemaWith = (id: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { id },
  ...more,
});

describe('formatKey', () => {
  it.each<[string, JsonObject, string]>([
    ['keeps the key where the argument takes any string', { type: 'string' }, KEY],
    ['cuts the key to maxLength', { type: 'string', maxLength: 45 }, KEY.slice(0, 45)],
    ['never cuts the key below 128 bits', { type: 'string', maxLength: 31 }, KEY],
  ])('%s', (_, member, expected) => {
    expect(formatKey(KEY, 'id', schemaWith(member))).toBe(expected);
  });

  it('makes a UUID of version 8 for a uuid argument, a different one for a different key', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 }), (keys) => {
        const [one, other] = keys.map((key) =>
          formatKey(hash('sha256', key), 'id', schemaWith({ type: 'string', format: 'uuid' })),
        );
        expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(one).not.toBe(other);
      }),
    );
  });
});

describe('a tool with an idempotencyKeyArgument', () => {
  const admitted = (inputSchema: JsonObject, argumentRules?: ArgumentRules) =>
    admissionOf(
      [{ ...ECHO, inputSchema, declared: { idempotencyKeyArgument: 'id' } }],
      argumentRules && { argumentRules },
    ).report;

  it.each<[string, JsonObject, string]>([
    ['has no such argument', { type: 'object', properties: {} }, 'the tool has no such argument'],
    [
      'has no such argument and allows no other',
      { type: 'object', properties: {}, additionalProperties: false },
      'its schema does not accept generated keys',
    ],
    [
      'allows only shorter texts',
      schemaWith({ type: 'string', maxLength: 31 }),
      'its schema does not accept generated keys',
    ],
    ['takes numbers', schemaWith({ type: 'integer' }), 'its schema does not accept generated keys'],
    [
      'requires another pattern',
      schemaWith({ type: 'string', pattern: '^order-' }),
      'its schema does not accept generated keys',
    ],
  ])('is refused where it %s', (_, schema, reason) => {
    expect(admitted(schema)).toMatchObject({
      registered: 0,
      findings: [
        {
          kind: 'refused',
          code: 'TERMS',
          reason: expect.stringContaining(`idempotencyKeyArgument "id": ${reason}`),
        },
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
  ])('is registered with %j', (schema) => {
    expect(admitted(schema)).toMatchObject({ registered: 1, findings: [] });
  });

  it('is registered where unknown arguments are passed on', () => {
    const rules: ArgumentRules = { unknown: 'pass', tolerant: false, defaults: true };
    expect(admitted({ type: 'object', properties: {} }, rules)).toMatchObject({ registered: 1 });
  });
});
