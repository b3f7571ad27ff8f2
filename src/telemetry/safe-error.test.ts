import { describe, expect, it } from 'vitest';
import { safeError } from './safe-error.ts';

describe('an error as it is told', () => {
  it('has a type, a code and a place, and none of its words', () => {
    const cause = Object.assign(new SyntaxError('"canary" is not JSON'), { code: -32_602, data: 'canary' });
    const told = safeError(
      Object.assign(new TypeError('canary', { cause }), { code: 'ERR_X', input: 'canary' }),
    );
    expect(told).toEqual({
      type: 'TypeError',
      code: 'ERR_X',
      stack: expect.stringMatching(/^at .*told-error\.test\.ts/),
      cause: { type: 'SyntaxError', code: -32_602, stack: expect.stringMatching(/^at /) },
    });
    expect(JSON.stringify(told)).not.toContain('canary');
  });

  it('is not fooled by a message that looks like a stack, nor by a code that is a sentence', () => {
    const error = Object.assign(new Error('x\n    at canary (canary.ts:1:1)'), { code: 'canary said so' });
    expect(JSON.stringify(safeError(error))).not.toContain('canary');
  });

  it.each([
    ['text', 'canary', { type: 'string' }],
    ['nothing', undefined, { type: 'undefined' }],
    ['a list', ['canary'], { type: 'object' }],
  ])('is only of a type where it is none: %s', (_, thrown, told) => {
    expect(safeError(thrown)).toEqual(told);
  });

  it('follows causes, but not in circles', () => {
    const error = new Error('round');
    error.cause = error;
    let depth = 0;
    for (let told = safeError(error).cause; told; told = told.cause) depth++;
    expect(depth).toBe(3);
  });
});
