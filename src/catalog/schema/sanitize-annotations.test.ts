import { describe, expect, it } from 'vitest';
import { admissionOf, ECHO } from '../../../test/recording-deps.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { redactJson } from '../../redaction/redact-json.ts';
import { makeRuleSet } from '../../redaction/rule-set.ts';
import { type Sanitize, sanitizeAnnotations } from './sanitize-annotations.ts';

const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const secrets = makeRuleSet();
const removeSecrets: Sanitize = (value) => redactJson(value, secrets).value as typeof value;
const keep: Sanitize = (value) => value;

describe('sanitizeAnnotations with defaults', () => {
  it.each<[JsonObject]>([
    [{ type: 'string', default: null }],
    [{ type: 'integer', default: 1.5 }],
    [{ type: ['string', 'null'], default: 0 }],
    [{ enum: ['a', { b: 1 }], default: 'c' }],
    [{ const: 1, default: 2 }],
    [{ anyOf: [{ type: 'string' }, { type: 'array' }], default: null }],
    [{ $ref: '#/$defs/text', default: 7 }],
  ])('removes a default that violates its own schema, and lists it: %j', (member) => {
    const schema = { type: 'object', properties: { odd: member }, $defs: { text: { type: 'string' } } };
    const { default: _, ...without } = member;
    expect(sanitizeAnnotations(schema, keep)).toEqual({
      schema: { ...schema, properties: { odd: without } },
      invalidDefaults: ['odd'],
    });
  });

  it.each<[JsonObject]>([
    [{ type: 'number', default: 1 }],
    [{ type: 'integer', default: 1 }],
    [{ enum: ['a', { b: 1, c: 2 }], default: { c: 2, b: 1 } }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }], default: null }],
    [{ default: null }],
    [{ $ref: '#/properties/member', default: 1 }],
  ])('keeps a valid default, and returns the same schema: %j', (member) => {
    const schema = { type: 'object', properties: { member } };
    expect(sanitizeAnnotations(schema, keep)).toEqual({ schema, invalidDefaults: [] });
    expect(sanitizeAnnotations(schema, keep).schema).toBe(schema);
  });

  it('takes little time for many defaults with many references', () => {
    const options = Array.from({ length: 1_000 }, () => ({ $ref: '#/$defs/none' }));
    const schema = {
      $defs: { any: { anyOf: options, enum: options.map((_, i) => `v${i}`) }, none: { anyOf: options } },
      properties: Object.fromEntries(options.map((_, i) => [`p${i}`, { $ref: '#/$defs/any', default: 1 }])),
    };
    const began = performance.now();
    expect(sanitizeAnnotations(schema, keep).invalidDefaults).toHaveLength(1_000);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('leads to one finding for a tool with invalid defaults', () => {
    const properties = {
      a: { type: 'string', default: null },
      b: { type: 'string', default: 1 },
      c: { default: 1 },
    };
    const { report } = admissionOf([{ ...ECHO, inputSchema: { type: 'object', properties } }]);
    expect(report.findings).toMatchObject([
      { kind: 'flagged', code: 'SCHEMA_INVALID', reason: expect.stringMatching(/not applied: (a, b|b, a)$/) },
    ]);
  });
});

describe('sanitizeAnnotations with secrets', () => {
  it('removes a secret from annotations and defaults, and keeps it in constraints', () => {
    const schema = {
      type: 'object',
      description: `Uses ${SECRET}.`,
      properties: {
        key: {
          type: 'string',
          title: SECRET,
          default: SECRET,
          examples: [SECRET, 'none'],
          enum: [SECRET, 'none'],
        },
        password: { type: 'string', default: 'Tr0ub4dor&3x', description: 'The password' },
        plain: { type: 'string', default: 'plain' },
      },
    };
    const { schema: shown, invalidDefaults } = sanitizeAnnotations(schema, removeSecrets);
    const { enum: allowed, ...annotations } = (shown.properties as { key: JsonObject }).key;
    expect(allowed).toEqual([SECRET, 'none']);
    expect(JSON.stringify({ ...shown, properties: annotations })).not.toContain(SECRET);
    expect(shown.properties).toMatchObject({
      password: { type: 'string', description: 'The password' },
      plain: { default: 'plain' },
    });
    expect(JSON.stringify(shown)).not.toContain('Tr0ub4dor');
    expect(annotations).not.toHaveProperty('default');
    expect(invalidDefaults).toEqual([]);
  });
});
