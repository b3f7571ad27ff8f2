import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { expandedSize } from './regexp-size.ts';

const MAX_PATTERN_LENGTH = 1_000;
/** In instructions; compiling one takes about a microsecond. */
const MAX_EXPANDED_SIZE = 10_000;
const MAX_TEST_NANOSECONDS = 100_000_000;
const PATTERNS_KEPT = 2_000;

export interface Pattern {
  test(text: string): boolean;
  /** The longest that a test of so many characters takes. */
  readonly microseconds: (length: number) => number;
  /** Beyond it a test can take longer than anybody should wait. */
  readonly maxTextLength: number;
}

const kept = new LRUCache<string, { readonly pattern: Pattern | undefined }>({ max: PATTERNS_KEPT });

/**
 * A pattern of a foreign schema on an engine whose time is linear in the text. Undefined for what such an engine cannot
 * hold (look-around, back-references, huge repetitions): those are left to the upstream and flagged in the report.
 */
export function linearPattern(source: string): Pattern | undefined {
  let entry = kept.get(source);
  if (!entry) {
    entry = { pattern: compilePattern(source) };
    kept.set(source, entry);
  }
  return entry.pattern;
}

function compilePattern(source: string): Pattern | undefined {
  if (source.length > MAX_PATTERN_LENGTH || expandedSize(source) > MAX_EXPANDED_SIZE) return undefined;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    const perCharacter = nanosecondsPerCharacter(compiled.programSize());
    return {
      test: (text) => compiled.test(text),
      microseconds: (length) => (length * perCharacter) / 1_000,
      maxTextLength: Math.floor(MAX_TEST_NANOSECONDS / perCharacter),
    };
  } catch {
    return undefined;
  }
}

/** Measured: a small automaton is built once and then walked; a large one can be rebuilt at every character. */
function nanosecondsPerCharacter(programSize: number): number {
  return programSize <= 16 ? 50 : 20 * programSize;
}
