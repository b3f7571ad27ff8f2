import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeError } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { type MessageLimits, parseMessage, refusalMessage } from './parse-message.ts';

const LIMITS: MessageLimits = { maxBytes: 10_000, maxDepth: 8, maxBatch: 3 };

const parse = (text: string | Uint8Array, limits = LIMITS): unknown =>
  parseMessage(typeof text === 'string' ? Buffer.from(text) : text, limits);

function refusal(text: string | Uint8Array): Fault {
  try {
    parse(text);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(Fault);
    return thrown as Fault;
  }
  throw new Error('it was let through');
}

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a message', () => {
  it('that is small, shallow JSON in UTF-8 is parsed', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify({ value });
        expect(parse(text, { ...LIMITS, maxBytes: 1e6 })).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each<[string, string | Uint8Array, number]>([
    ['too large', `"${'x'.repeat(10_000)}"`, 413],
    ['too deep', nested(9), 400],
    ['ten thousand levels deep', nested(4_999), 400],
    ['deep without an end', '{"a":'.repeat(1_000), 400],
    ['no JSON', '{"a":1', 400],
    ['empty', '', 400],
    ['two values', '{} {}', 400],
    ['a word', 'NaN', 400],
    ['bad UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400],
    ['half a character', Buffer.from([0x22, 0xf0, 0x9f, 0x98, 0x22]), 400],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), 400],
    ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 400],
    ['a batch of too many', '[1,2,3,4]', 400],
  ])('that is %s is refused', (_, text, status) => {
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
    ['just deep enough', nested(8)],
    ['full of brackets in its texts', `["${'[{'.repeat(100)}\\"${'['.repeat(100)}\\\\"]`],
    ['wide', `[[${'[],{},'.repeat(500)}[]]]`],
    ['a batch', '[1,2,3]'],
    ['with a byte order mark', '\ufeff{"a":1}'],
  ])('that is %s is let through', (_, text) => {
    expect(parse(text)).toEqual(JSON.parse(text.replace('\ufeff', '')));
  });

  it('has a depth that is the depth of its JSON', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 12, depthSize: 'large' },
        fc.constantFrom<unknown>(1, null, 'a', '[{"\\', '"]}'),
        fc.array(tie('value'), { maxLength: 2 }),
        // Of keys that need an escape only one: V8 13.6 takes one such key for another of the same length.
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

  it('makes no prototype of what it holds', () => {
    const message = parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as object;
    expect(Object.keys(message)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
