import type { LinearRegexp } from '../../../base/text/linear-regexp.ts';
import { compilePattern } from '../pattern.ts';
import type { Walk } from './query.ts';

/** `match()` or `search()`: whether a text fits an I-Regexp (RFC 9485). */
export type FitsRegexp = (text: unknown, source: unknown, walk: Walk) => boolean;

/** A pattern in a path that no linear-time engine can hold. */
export class UnusablePattern extends Error {
  override readonly name = 'UnusablePattern';
}

/** Patterns are mostly one literal, so the last one is kept. */
export function regexpFunction(anchored: boolean): FitsRegexp {
  let last: { readonly source: string; readonly pattern: LinearRegexp } | undefined;
  return (text, source, walk) => {
    if (typeof text !== 'string' || typeof source !== 'string') return false;
    if (last?.source !== source) {
      walk.spend(2_000);
      const pattern = compilePattern(withDots(source));
      // The standard would call it a mismatch: a reader would take that for an answer.
      if (!pattern) throw new UnusablePattern();
      last = { source, pattern };
    }
    walk.spend(0.5 + text.length * last.pattern.microsecondsPerCharacter);
    return anchored ? last.pattern.matches(text) : last.pattern.test(text);
  };
}

/** A dot stands for neither kind of line end (RFC 9485, section 5.3). */
function withDots(source: string): string {
  return source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (token) => (token === '.' ? '[^\\n\\r]' : token));
}
