import { linearPattern } from '../../base/text/linear-regexp.ts';
import { CpuBudgetExceeded, spend } from './effort.ts';

export interface MeteredPattern {
  test(text: string): boolean;
  /** Its source: what engines tell patterns apart by. */
  toString(): string;
}

/** A pattern whose tests are paid for. One that cannot be checked in linear time is left to the upstream: all passes. */
export function meteredPattern(source: string): MeteredPattern {
  const pattern = linearPattern(source);
  return {
    toString: () => source,
    test(text) {
      if (!pattern) return true;
      if (text.length > pattern.maxTextLength)
        throw new CpuBudgetExceeded('the text is too long for the pattern');
      spend(1 + pattern.microseconds(text.length));
      return pattern.test(text);
    },
  };
}
