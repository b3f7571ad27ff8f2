import { describe, expect, it } from 'vitest';
import { parseMessage } from './message-guard.ts';

const limits = { maxBytes: 200, maxDepth: 4, maxBatch: 3 };
const parse = (text: string | Uint8Array): unknown =>
  parseMessage(typeof text === 'string' ? Buffer.from(text) : text, limits);

describe('a message', () => {
  it.each([['{"a":[{"b":1}]}'], ['[1,2,3]'], ['"[[[[[[[["'], ['{"a":"\\"[[[[[["}'], [' 1 ']])(
    '%s passes',
    (text) => {
      expect(parse(text)).toEqual(JSON.parse(text));
    },
  );

  it.each<readonly [what: string, message: string | Uint8Array, variant: string, says: RegExp]>([
    ['too large', `"${'x'.repeat(199)}"`, 'oversized', /larger than 200 bytes/],
    ['too deep', '[[[[[1]]]]]', 'unparsable', /deeper than 4/],
    ['too deep and cut off', '[[[[[', 'unparsable', /deeper than 4/],
    ['not JSON', '{"a":', 'unparsable', /not JSON/],
    ['empty', '', 'unparsable', /not JSON/],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'unparsable', /not JSON in UTF-8/],
    ['a batch too long', '[1,2,3,4]', 'unparsable', /at most 3 messages/],
  ])('%s is refused', (_, message, variant, says) => {
    expect(() => parse(message)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', variant }));
    expect(() => parse(message)).toThrow(says);
  });
});
