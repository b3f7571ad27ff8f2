import { type LinearRegexp, LinearRegexpCache } from '../../base/text/linear-regexp.ts';
import { CpuBudgetExceeded, spend } from './metering.ts';

const MAX_TEST_MICROSECONDS = 100_000;
const schemaPatterns = new LinearRegexpCache({ maxLength: 1_000, maxSize: 10_000, maxEntries: 2_000 });

export interface MeteredPattern {
  test(text: string): boolean;
  /** The source: ajv identifies patterns by it. */
  toString(): string;
}

/** Undefined for a pattern that cannot run in linear time, such as one with look-around or back-references. */
export function compileSchemaPattern(source: string): LinearRegexp | undefined {
  return schemaPatterns.get(source);
}

/**
 * A pattern that charges the current CPU budget for each test. One that cannot run in linear time accepts every text:
 * only the upstream enforces it, and the report on its tool states that.
 */
export function meteredPattern(source: string): MeteredPattern {
  const pattern = compileSchemaPattern(source);
  return {
    toString: () => source,
    test(text) {
      if (!pattern) return true;
      const microseconds = text.length * pattern.microsecondsPerCharacter;
      if (microseconds > MAX_TEST_MICROSECONDS)
        throw new CpuBudgetExceeded('the text is too long for the pattern');
      spend(1 + microseconds);
      return pattern.test(text);
    },
  };
}
