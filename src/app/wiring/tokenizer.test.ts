import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, it } from 'vitest';
import { countTokens, warmUpTokenizer } from './tokenizer.ts';

warmUpTokenizer();

const real = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length;

describe('countTokens', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['github:create_issue#7b2f0e14 (tool): Creates an issue.', 18],
    ['<|endoftext|>', 7],
    ['漢字', 3],
    ['😀', 2],
  ])('counts %j as %i tokens', (text, tokens) => {
    expect(countTokens(text)).toBe(tokens);
  });

  it('equals the cl100k encoder for any text', () => {
    const word = fc.constantFrom(
      'hello',
      ' world',
      '\n\n',
      '    ',
      "it's",
      '123456',
      '<|im_start|>',
      '漢',
      '😀',
      '!=',
      '\ud800',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(word).map((words) => words.join('')),
        ),
        (text) => {
          expect(countTokens(text)).toBe(real(text));
        },
      ),
    );
  });

  it('differs from the encoder by a few tokens for each piece of a long unbroken run', () => {
    const run = fc.constantFrom('a', 'xyz', '=', '-+', ' ', '\n', '漢', 'é');
    fc.assert(
      fc.property(
        fc.string(),
        run,
        fc.integer({ min: 300, max: 900 }),
        fc.string(),
        (before, unit, times, after) => {
          const text = `${before}${unit.repeat(times)}${after}`;
          const few = 8 * Math.ceil((unit.length * times) / 256);
          expect(countTokens(text)).toBeGreaterThanOrEqual(real(text) - few);
          expect(countTokens(text)).toBeLessThanOrEqual(real(text) + few);
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([
    ['letters', 'a'],
    ['letters in runs just below the limit', `${'ab'.repeat(128)} `],
    ['spaces in runs just below the limit', `${' '.repeat(256)}x`],
    ['line breaks', '\n'],
    ['punctuation', '='],
    ['ideographs', '漢'],
    ['digits', '1234567890'],
    ['emoji', '😀'],
    ['combining accents', '\u0301'],
    ['lone surrogates', '\ud800'],
  ])('counts 128,000 characters in linear time: %s', (_, unit) => {
    const text = unit.repeat(Math.ceil(128_000 / unit.length));
    const began = process.threadCpuUsage();
    expect(countTokens(text)).toBeGreaterThan(0);
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
