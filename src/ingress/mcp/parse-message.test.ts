import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeError } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { type MessageLimits, parseMessage, refusalMessage } from './parse-message.ts';

const LIMITS: MessageLimits = { maxBytes: 500_000, maxDepth: 8, maxBatch: 3 };

const parse = (text: string | Uint8Array, limits = LIMITS): unknown =>
  parseMessage(typeof text === 'string' ? Buffer.from(text) : text, limits);

function refusal(text: string | Uint8Array): Fault {
  try {
    parse(text);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(Fault);
    return thrown as Fault;
  }
  throw new Error('the message was accepted');
}

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('parseMessage', () => {
  it('parses JSON in UTF-8 within the limits', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify({ value });
        expect(parse(text, { ...LIMITS, maxBytes: 1e6 })).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each<[string, string | Uint8Array, number]>([
    ['too many bytes', `"${'x'.repeat(500_000)}"`, 413],
    ['one level too many', nested(9), 400],
    ['thousands of levels', nested(4_999), 400],
    ['a thousand levels that are not closed', '{"a":'.repeat(1_000), 400],
    ['truncated JSON', '{"a":1', 400],
    ['empty text', '', 400],
    ['two values', '{} {}', 400],
    ['NaN', 'NaN', 400],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400],
    ['a truncated character', Buffer.from([0x22, 0xf0, 0x9f, 0x98, 0x22]), 400],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), 400],
    ['an overlong UTF-8 encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 400],
    ['too many members', `{${'"a":0,'.repeat(50_000)}"a":0}`, 400],
    ['too many messages in a batch', '[1,2,3,4]', 400],
  ])('refuses %s', (_, text, status) => {
    const fault = refusal(text);
    expect(fault.code).toBe('INVALID_INPUT');
    expect(describeError(fault.code, fault.variant).httpStatus).toBe(status);
    expect(refusalMessage(fault)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: fault.message },
    });
  });

  it.each([
    ['the maximum depth', nested(8)],
    ['brackets inside of strings', `["${'[{'.repeat(100)}\\"${'['.repeat(100)}\\\\"]`],
    ['many siblings', `[[${'[],{},'.repeat(500)}[]]]`],
    ['the maximum number of members', `{${'":":":",'.repeat(49_999)}"a":0}`],
    ['a batch of the maximum length', '[1,2,3]'],
    ['a byte order mark', '\ufeff{"a":1}'],
  ])('accepts %s', (_, text) => {
    expect(parse(text)).toEqual(JSON.parse(text.replace('\ufeff', '')));
  });

  it('counts the depth as a JSON parser does', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 12, depthSize: 'large' },
        fc.constantFrom<unknown>(1, null, 'a', '[{"\\', '"]}'),
        fc.array(tie('value'), { maxLength: 2 }),
        // Only one key that needs an escape: V8 13.6 confuses such keys of the same length.
        fc.dictionary(fc.constantFrom('a', '{', '"'), tie('value'), { maxKeys: 2 }),
      ),
    }));
    const depthOf = (node: unknown): number =>
      typeof node === 'object' && node !== null
        ? 1 + Math.max(0, ...Object.values(node).map((member) => depthOf(member)))
        : 0;
    fc.assert(
      fc.property(value, (node) => {
        const text = JSON.stringify({ node });
        const limits = { maxBytes: 1e6, maxBatch: 100, maxDepth: 8 };
        if (depthOf({ node }) <= 8) expect(parse(text, limits)).toEqual(JSON.parse(text));
        else expect(() => parse(text, limits)).toThrow('nested deeper than 8');
      }),
      { numRuns: 500 },
    );
  });

  it('keeps __proto__ and constructor as plain properties', () => {
    const message = parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as object;
    expect(Object.keys(message)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
