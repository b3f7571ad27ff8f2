import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/json/json.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { signatureOf } from './signature.ts';

function signature(inputSchema: object): string {
  return signatureOf({ name: 'call', inputSchema: inputSchema as JsonObject } as ToolContract);
}

const params = (properties: object, required: string[] = []): string =>
  signature({ type: 'object', properties, required });

describe('signatureOf', () => {
  it('lists required parameters first and marks optional ones', () => {
    expect(
      params(
        {
          labels: { type: 'array', items: { type: 'string' } },
          title: { type: 'string' },
          n: { type: 'integer' },
        },
        ['title'],
      ),
    ).toBe('call(title: string, labels?: string[], n?: integer)');
  });

  it.each([
    [{ enum: ['open', 'closed', 1, null] }, '"open"|"closed"|1|null'],
    [{ const: 'x' }, '"x"'],
    [{ const: null }, 'null'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string|null'],
    [{ oneOf: [{ type: 'string' }, { type: 'string' }] }, 'string'],
    [{ type: ['string', 'null'] }, 'string|null'],
    [{ type: 'array' }, 'any[]'],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'number[][]'],
    [{ type: 'object' }, 'object'],
    [
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['b'] },
      '{a?: string, b: number}',
    ],
    [{}, 'any'],
    [true, 'any'],
    [{ $ref: '#/$defs/x' }, 'any'],
  ])('writes %j as %s', (schema, text) => {
    expect(params({ p: schema }, ['p'])).toBe(`call(p: ${text})`);
  });

  it('stops at two levels of objects', () => {
    const deep = {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'object' } } } },
    };
    expect(params({ p: { type: 'object', properties: { x: deep } } })).toBe('call(p?: {x?: {a?: object}})');
  });

  it.each([
    [{}, '...any'],
    [{ type: 'object' }, '...any'],
    [{ properties: 7, required: 'x' }, '...any'],
    [{ properties: {}, additionalProperties: true }, '...any'],
    [{ additionalProperties: { type: 'string' } }, '...string'],
    [{ properties: {} }, ''],
    [{ type: 'object', additionalProperties: false }, ''],
    [{ patternProperties: { '^x': {} } }, ''],
    [{ $ref: '#/$defs/x', $defs: { x: { properties: { a: {} } } } }, ''],
  ])('writes the arguments of %j as (%s)', (schema, text) => {
    expect(signature(schema)).toBe(`call(${text})`);
  });

  it('is one printable line of bounded length, whatever the names are', () => {
    const hostile = params({ 'a\u001b[31m\n\u202eb': { enum: ['x\u202e\n', 'y'.repeat(5_000)] } });
    expect(hostile).toHaveLength(800);
    expect(hostile).toMatch(/^call\(a b\?: "x\\n"\|"y+…$/);
  });

  it('lists parameters with the name of an inherited member', () => {
    expect(params(JSON.parse('{"__proto__":{"type":"string"},"toString":{}}'), ['toString'])).toBe(
      'call(toString: any, __proto__?: string)',
    );
  });
});
