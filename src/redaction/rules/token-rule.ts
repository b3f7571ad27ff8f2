import { NO_SPANS, type RedactionRule } from '../rule.ts';
import { isWordStart } from './named-secret/word-start.ts';
import { isPlausibleSecret } from './placeholder.ts';

export interface TokenForm {
  readonly name: string;
  readonly prefixes: readonly string[];
  /** Required where a prefix is shorter than a keyword may be. */
  readonly keywords?: readonly string[];
  readonly keywordLookahead?: string;
  /** Source of the pattern that follows the prefix. */
  readonly body: string;
  readonly accepts?: (token: string) => boolean;
}

// A longer word that contains the form is not a token.
const WORD_END = '(?![A-Za-z0-9])';

/** Makes a rule for tokens that their form alone identifies. */
export function makeTokenRule({
  name,
  prefixes,
  keywords,
  keywordLookahead,
  body,
  accepts = () => true,
}: TokenForm): RedactionRule {
  const prefix = prefixes.map((text) => text.replace(/[./]/g, '\\$&')).join('|');
  const form = new RegExp(`(?:${prefix})(${body})${WORD_END}`, 'y');
  const withDashes = body.includes('-]');
  return {
    name,
    keywords: keywords ?? prefixes.map((text) => text.toLowerCase()),
    ...(keywordLookahead !== undefined && { keywordLookahead }),
    find({ text, at, minStart }) {
      if (at !== minStart && !isWordStart(text, at, withDashes)) return NO_SPANS;
      form.lastIndex = at;
      const match = form.exec(text);
      if (!match || !isPlausibleSecret(match[1]!) || !accepts(match[0])) return NO_SPANS;
      return [{ start: at, end: at + match[0].length, rule: name }];
    },
  };
}
