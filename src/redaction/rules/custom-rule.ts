import { RE2JS } from 're2js';
import type { Steps } from '../../base/async/cooperative.ts';
import type { Span } from '../rule.ts';

/** A rule as an operator writes it. Where the pattern has a group, what the first one holds is the secret. */
export interface CustomPattern {
  readonly name: string;
  readonly pattern: string;
}

export interface CustomRule {
  readonly name: string;
  spansIn(text: string): Steps<readonly Span[]>;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
const MAX_PATTERN_LENGTH = 1_000;
const MAX_PROGRAM_SIZE = 5_000;
const PIECE = 65_536;
/** How far behind the piece in which it begins a match may end. */
const LONGEST_MATCH = 32_768;

/** On an engine whose time is linear in the text: patterns are the operator's, but texts are anybody's. */
export function customRule({ name, pattern }: CustomPattern, taken: readonly string[]): CustomRule {
  if (!NAME.test(name))
    throw new TypeError(`A redaction rule cannot be called "${name}": use a-z, 0-9 and dashes.`);
  if (taken.includes(name))
    throw new TypeError(`The redaction rule "${name}" is built in; choose another name.`);
  const compiled = compile(name, pattern);
  return {
    name,
    *spansIn(text) {
      const spans: Span[] = [];
      const group = compiled.groupCount() > 0 ? 1 : 0;
      for (let from = 0; from < text.length; ) {
        if (from > 0) yield;
        // The engine reads to the end of what it is given, and has to know what stands before the piece.
        const next = from + PIECE;
        const matcher = compiled.matcher(text.slice(0, next + LONGEST_MATCH));
        for (let found = matcher.find(from); found && matcher.start() < next; found = matcher.find()) {
          const [start, end] = [matcher.start(group), matcher.end(group)];
          if (start >= 0 && end > start) spans.push({ start, end, rule: name });
          from = matcher.end();
        }
        from = Math.max(from, next);
      }
      return spans;
    },
  };
}

function compile(name: string, pattern: string): RE2JS {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new TypeError(`The pattern of redaction rule "${name}" is too long.`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (cause) {
    throw new TypeError(
      `The pattern of redaction rule "${name}" cannot be matched in linear time: it must do without look-around, back-references and huge repetitions.`,
      { cause },
    );
  }
  if (compiled.programSize() > MAX_PROGRAM_SIZE) {
    throw new TypeError(`The pattern of redaction rule "${name}" is too large: repeat less.`);
  }
  if (compiled.test(''))
    throw new TypeError(`The pattern of redaction rule "${name}" also matches where nothing stands.`);
  return compiled;
}
