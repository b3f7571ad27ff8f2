import { type Counts, countAll, type Found } from './found.ts';
import type { StringChange } from './map-strings.ts';
import { redactDocuments } from './redact-documents.ts';
import { redactSpans } from './redact-spans.ts';
import { redactTables } from './redact-tables.ts';
import type { RuleSet } from './rule-set.ts';
import { isPlainPiece, PIECE } from './spans.ts';
import { atOnce, type Steps } from './steps.ts';
import { saysSecret } from './under-name.ts';

export interface RedactedText {
  readonly text: string;
  readonly found: Found;
}

// What stands around a secret is judged anew once that is gone. One more pass settles it, but nothing proves that.
const MOST_PASSES = 4;

/**
 * A text without its secrets; the same string where it holds none. Redacting the outcome again changes nothing. `name` is
 * that of the member in which the text stands alone.
 */
export function redact(text: string, rules: RuleSet, name?: string): RedactedText {
  return atOnce(redaction(text, rules, name));
}

/**
 * The same in steps, for texts of any length. Documents and tables are read as what they are, since there a name and its
 * value may stand far apart; and first, since afterwards they may be none.
 */
export function* redaction(text: string, rules: RuleSet, name?: string): Steps<RedactedText> {
  const found: Counts = {};
  const change = stringRedaction(rules, found);
  if (yield* isPlain(text, rules, name)) return { text, found };
  let redacted = text;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const before = redacted;
    redacted = yield* redactDocuments(redacted, change);
    redacted = yield* redactTables(redacted, rules, change);
    redacted = yield* redactSpans(redacted, rules, { name, found });
    if (redacted === before) break;
  }
  return { text: redacted, found };
}

/** Of letters, backslashes and slashes in JSON: behind them any opening may hide. */
const ESCAPE = /\\(?:u00|[\\/])/;
const LONGEST_OVERLAP = 2;

/** Whether no rule has anything to say of a text, as of most. */
function* isPlain(text: string, rules: RuleSet, name: string | undefined): Steps<boolean> {
  if (rules.own.length > 0 || (name !== undefined && saysSecret(name, rules))) return false;
  for (let from = 0; from < text.length; from += PIECE - LONGEST_OVERLAP) {
    if (from > 0) yield;
    if (!isPlainPiece(text, from, rules)) return false;
  }
  return !ESCAPE.test(text);
}

/** What becomes of the texts of a structured value. */
export function stringRedaction(rules: RuleSet, found: Counts): StringChange {
  return {
    found,
    isPlain: (text, name) => text.length <= PIECE && atOnce(isPlain(text, rules, name)),
    *text(text, name) {
      const redacted = yield* redaction(text, rules, name);
      countAll(found, redacted.found);
      return redacted.text;
    },
  };
}
