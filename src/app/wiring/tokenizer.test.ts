import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, it } from 'vitest';
import { countTokens, warmUpTokenizer } from './tokenizer.ts';

warmUpTokenizer();

const real = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length;

describe('tokens', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['github:create_issue#7b2f0e14 (tool): Creates an issue.', 18],
    ['<|endoftext|>', 7],
    ['漢字', 3],
    ['😀', 2],
  ])('of %j are %i', (text, tokens) => {
    expect(countTokens(text)).toBe(tokens);
  });

  it('are those of the real encoder, for any text', () => {
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

  it('are exact around a run without end, and a few off for each piece of it', () => {
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
    ['letters in words just short of endless', `${'ab'.repeat(128)} `],
    ['spaces in runs just short of endless', `${' '.repeat(256)}x`],
    ['line breaks', '\n'],
    ['marks', '='],
    ['ideographs', '漢'],
    ['digits', '1234567890'],
    ['faces', '😀'],
    ['accents alone', '\u0301'],
    ['halves of characters', '\ud800'],
  ])('are counted in no time: %s', (_, unit) => {
    const text = unit.repeat(Math.ceil(128_000 / unit.length));
    const began = process.threadCpuUsage();
    expect(countTokens(text)).toBeGreaterThan(0);
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
