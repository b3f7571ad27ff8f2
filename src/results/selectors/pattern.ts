import { RE2JS } from 're2js';
import { expandedSize } from '../expanded-size.ts';

const MAX_PATTERN_LENGTH = 500;
/** In instructions; compiling one takes about two microseconds. */
const MAX_EXPANDED_SIZE = 5_000;

/** A reader's pattern on an engine whose time is linear in the text. */
export interface Pattern {
  /** Somewhere in the text. */
  test(text: string): boolean;
  /** The whole of the text. */
  matches(text: string): boolean;
  /** Where in the text, for one that is in it. */
  indexIn(text: string): number;
  /** The longest that one character takes. Measured: a small automaton is built once, a large one again and again. */
  readonly microsecondsPerCharacter: number;
}

/** Undefined for what such an engine cannot hold: look-around, back-references, huge repetitions. */
export function patternOf(
  source: string,
  { ignoreCase = false }: { readonly ignoreCase?: boolean } = {},
): Pattern | undefined {
  if (source.length > MAX_PATTERN_LENGTH || expandedSize(source) > MAX_EXPANDED_SIZE) return undefined;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const size = compiled.programSize();
    return {
      test: (text) => compiled.test(text),
      matches: (text) => compiled.matches(text),
      indexIn: (text) => {
        const matcher = compiled.matcher(text);
        return matcher.find() ? matcher.start() : 0;
      },
      microsecondsPerCharacter: size <= 16 ? 0.05 : 0.02 * size,
    };
  } catch {
    return undefined;
  }
}
