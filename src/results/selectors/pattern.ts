import { LinearRegexp } from '../../base/text/linear-regexp.ts';

const MAX_PATTERN_LENGTH = 500;
const MAX_PROGRAM_SIZE = 5_000;

/** Compiles a pattern that a reader of an artifact wrote; undefined where RE2 cannot run it or it is too large. */
export function compilePattern(
  source: string,
  { ignoreCase = false }: { readonly ignoreCase?: boolean } = {},
): LinearRegexp | undefined {
  return LinearRegexp.compile(source, {
    maxLength: MAX_PATTERN_LENGTH,
    maxSize: MAX_PROGRAM_SIZE,
    ignoreCase,
  });
}
