import type { LinearRegexp } from '../../../base/text/linear-regexp.ts';
import { compilePattern } from '../pattern.ts';
import type { Walk } from './query.ts';

/** `match()` or `search()`: whether a text matches an I-Regexp (RFC 9485). */
export type RegexpFunction = (text: unknown, source: unknown, walk: Walk) => boolean;

/** A pattern in a path that does not run in linear time, or is too large. */
export class UnusablePattern extends Error {
  override readonly name = 'UnusablePattern';
}

/** Keeps the last compiled pattern, because a pattern is mostly one literal. */
export function regexpFunction(anchored: boolean): RegexpFunction {
  let last: { readonly source: string; readonly pattern: LinearRegexp } | undefined;
  return (text, source, walk) => {
    if (typeof text !== 'string' || typeof source !== 'string') return false;
    if (last?.source !== source) {
      walk.spend(2_000);
      const pattern = compilePattern(translateDots(source));
      // The standard requires a mismatch here, which a reader would take for an answer.
      if (!pattern) throw new UnusablePattern();
      last = { source, pattern };
    }
    walk.spend(0.5 + text.length * last.pattern.microsecondsPerCharacter);
    return anchored ? last.pattern.matches(text) : last.pattern.test(text);
  };
}

/** A dot matches neither line feed nor carriage return (RFC 9485, section 5.3). */
function translateDots(source: string): string {
  return source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (token) => (token === '.' ? '[^\\n\\r]' : token));
}
