import { RE2JS } from 're2js';

const MAX_PATTERN_LENGTH = 1_000;

export interface Pattern {
  test(text: string): boolean;
}

/**
 * A pattern of a foreign schema on an engine whose time is linear in the text. Undefined for what such an engine cannot
 * hold (look-around, back-references, huge repetitions): those are left to the upstream and flagged in the report.
 */
export function linearPattern(source: string): Pattern | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return undefined;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    return { test: (text) => compiled.matcher(text).find() };
  } catch {
    return undefined;
  }
}
