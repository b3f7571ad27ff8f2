import { describe, expect, it } from 'vitest';
import { safeError } from './safe-error.ts';

describe('safeError', () => {
  it('keeps type, code and stack and drops the message and other members', () => {
    const cause = Object.assign(new SyntaxError('"canary" is not JSON'), { code: -32_602, data: 'canary' });
    const safe = safeError(
      Object.assign(new TypeError('canary', { cause }), { code: 'ERR_X', input: 'canary' }),
    );
    expect(safe).toEqual({
      type: 'TypeError',
      code: 'ERR_X',
      stack: expect.stringMatching(/^at .*safe-error\.test\.ts/),
      cause: { type: 'SyntaxError', code: -32_602, stack: expect.stringMatching(/^at /) },
    });
    expect(JSON.stringify(safe)).not.toContain('canary');
  });

  it('drops a message that looks like a stack and a code that is a sentence', () => {
    const error = Object.assign(new Error('x\n    at canary (canary.ts:1:1)'), { code: 'canary said so' });
    expect(JSON.stringify(safeError(error))).not.toContain('canary');
  });

  it.each([
    ['text', 'canary', { type: 'string' }],
    ['nothing', undefined, { type: 'undefined' }],
    ['a list', ['canary'], { type: 'object' }],
  ])('keeps only the type of a thrown value that is no error: %s', (_, thrown, expected) => {
    expect(safeError(thrown)).toEqual(expected);
  });

  it('stops at a fixed depth of causes, so that a circular cause ends', () => {
    const error = new Error('round');
    error.cause = error;
    let depth = 0;
    for (let cause = safeError(error).cause; cause; cause = cause.cause) depth++;
    expect(depth).toBe(3);
  });
});
