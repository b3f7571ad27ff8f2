import type { Steps } from '../../base/async/cooperative.ts';
import { estimateProgramSize, LinearRegexp } from '../../base/text/linear-regexp.ts';
import type { Span } from '../rule.ts';

/** A rule as an operator writes it. Where the pattern has a group, the first group is the secret. */
export interface CustomPattern {
  readonly name: string;
  readonly pattern: string;
}

export interface CustomRule {
  readonly name: string;
  findSpans(text: string): Steps<readonly Span[]>;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
const MAX_PATTERN_LENGTH = 1_000;
const MAX_PROGRAM_SIZE = 5_000;
/** Characters read between two yields to the event loop. */
const CHUNK_LENGTH = 65_536;
/** Number of characters by which a match may exceed the chunk in which it starts. */
const MAX_OVERHANG = 32_768;

/** Compiles a rule of the operator. The engine runs in linear time, because the texts come from untrusted parties. */
export function makeCustomRule({ name, pattern }: CustomPattern, taken: readonly string[]): CustomRule {
  if (!NAME.test(name))
    throw new TypeError(
      `Invalid name of a redaction rule: "${name}". Use a-z, 0-9 and dashes, at most 40 characters.`,
    );
  if (taken.includes(name))
    throw new TypeError(`The name "${name}" belongs to a built-in redaction rule: choose another name.`);
  const regexp = compile(name, pattern);
  return {
    name,
    *findSpans(text) {
      const spans: Span[] = [];
      const group = regexp.groupCount > 0 ? 1 : 0;
      for (let from = 0; from < text.length; ) {
        if (from > 0) yield;
        // The engine reads its whole input, so it gets no more than the chunk; assertions need the text before the chunk.
        const next = from + CHUNK_LENGTH;
        const matcher = regexp.matcher(text.slice(0, next + MAX_OVERHANG));
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

function compile(name: string, source: string): LinearRegexp {
  if (source.length > MAX_PATTERN_LENGTH) {
    throw new TypeError(
      `The pattern of redaction rule "${name}" is too long: use at most ${MAX_PATTERN_LENGTH} characters.`,
    );
  }
  if (estimateProgramSize(source) > MAX_PROGRAM_SIZE)
    throw new TypeError(`The pattern of redaction rule "${name}" is too large: use smaller repetitions.`);
  const regexp = LinearRegexp.compile(source, { maxLength: MAX_PATTERN_LENGTH, maxSize: MAX_PROGRAM_SIZE });
  if (!regexp) {
    throw new TypeError(
      `The pattern of redaction rule "${name}" cannot be matched in linear time: use no look-around, no back-references and no huge repetitions.`,
    );
  }
  if (regexp.test('')) {
    throw new TypeError(
      `The pattern of redaction rule "${name}" matches the empty text: make it match at least one character.`,
    );
  }
  return regexp;
}
