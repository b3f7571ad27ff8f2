import { describe, expect, it } from 'vitest';
import { plainValue } from './plain-value.ts';

const HIDDEN = '\u001b[31m\u202e\u{e0041}\u200b';

describe('plainValue', () => {
  it('removes hidden characters from strings and keys', () => {
    expect(plainValue({ [`k${HIDDEN}`]: [`v${HIDDEN}`, { [`l${HIDDEN}`]: 1 }] })).toEqual({
      k: ['v', { l: 1 }],
    });
  });

  it('numbers keys that differ only in hidden characters', () => {
    expect(plainValue({ 'a\u200b': 2, a: 1, 'a\u2060': 3, 'b\u200b': 4, 'b\u2060': 5 })).toEqual({
      'a (2)': 2,
      a: 1,
      'a (3)': 3,
      b: 4,
      'b (2)': 5,
    });
  });

  it('returns the same value where nothing is hidden', () => {
    const value = { a: [1, { 'b c': 'é' }], d: null };
    expect(plainValue(value)).toBe(value);
  });

  it('keeps `__proto__` and `constructor` as ordinary keys', () => {
    const value = JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{}}}');
    const sanitized = plainValue(value) as object;
    expect(Object.keys(sanitized)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(sanitized)).toBe(Object.prototype);
    expect(JSON.stringify(sanitized)).toBe(JSON.stringify(value));
  });
});
