import { NOTHING, type RedactionRule } from '../rule.ts';
import { startsWord } from './named-secret/word-start.ts';
import { isDrawn } from './placeholder.ts';

export interface TokenForm {
  readonly name: string;
  readonly prefixes: readonly string[];
  /** Where the prefix is shorter than an opening may be. */
  readonly opens?: readonly string[];
  readonly opensBefore?: string;
  /** What follows, as the source of a pattern. */
  readonly body: string;
  readonly accepts?: (token: string) => boolean;
}

// Prefixes and lengths leave no doubt, but a longer word that only holds the form is no token.
const WORD_END = '(?![A-Za-z0-9])';

/** A rule for tokens that are told by their form alone. */
export function tokenRule({
  name,
  prefixes,
  opens,
  opensBefore,
  body,
  accepts = () => true,
}: TokenForm): RedactionRule {
  const prefix = prefixes.map((text) => text.replace(/[./]/g, '\\$&')).join('|');
  const form = new RegExp(`(?:${prefix})(${body})${WORD_END}`, 'y');
  const withDashes = body.includes('-]');
  return {
    name,
    opens: opens ?? prefixes.map((text) => text.toLowerCase()),
    ...(opensBefore !== undefined && { opensBefore }),
    find({ text, at, free }) {
      if (at !== free && !startsWord(text, at, withDashes)) return NOTHING;
      form.lastIndex = at;
      const match = form.exec(text);
      if (!match || !isDrawn(match[1]!) || !accepts(match[0])) return NOTHING;
      return [{ start: at, end: at + match[0].length, rule: name }];
    },
  };
}
