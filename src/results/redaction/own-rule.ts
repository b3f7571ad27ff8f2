import { RE2JS } from 're2js';
import type { Span } from './rule.ts';

/** A rule as an operator writes it. Where the pattern has a group, what the first one holds is the secret. */
export interface OwnPattern {
  readonly name: string;
  readonly pattern: string;
}

export interface OwnRule {
  readonly name: string;
  spansIn(text: string): Span[];
}

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
const MAX_PATTERN_LENGTH = 1_000;
const MAX_PROGRAM_SIZE = 5_000;

/** On an engine whose time is linear in the text: patterns are the operator's, but texts are anybody's. */
export function ownRule({ name, pattern }: OwnPattern, taken: readonly string[]): OwnRule {
  if (!NAME.test(name))
    throw new TypeError(`A redaction rule cannot be called "${name}": use a-z, 0-9 and dashes.`);
  if (taken.includes(name))
    throw new TypeError(`The redaction rule "${name}" is built in; choose another name.`);
  const compiled = compile(name, pattern);
  return {
    name,
    spansIn(text) {
      const spans: Span[] = [];
      const matcher = compiled.matcher(text);
      const group = compiled.groupCount() > 0 ? 1 : 0;
      while (matcher.find()) {
        const [start, end] = [matcher.start(group), matcher.end(group)];
        if (start >= 0 && end > start) spans.push({ start, end, rule: name });
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
