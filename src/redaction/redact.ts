import { runSync, type Steps } from '../base/async/cooperative.ts';
import { type Counts, countAll, type Found } from './engine/found.ts';
import type { StringChange } from './engine/map-strings.ts';
import { redactSpans } from './engine/redact-spans.ts';
import { type CandidateFinder, candidateFinderFor, PIECE } from './engine/spans.ts';
import { redactDocuments } from './formats/redact-documents.ts';
import { redactTables } from './formats/redact-tables.ts';
import type { RuleSet } from './rule-set.ts';
import { isSecretName } from './rules/named-secret/member-name.ts';

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
  return runSync(redaction(text, rules, name));
}

/**
 * The same in steps, for texts of any length. Documents and tables are read as what they are, since there a name and its
 * value may stand far apart; and first, since afterwards they may be none.
 */
export function* redaction(text: string, rules: RuleSet, name?: string): Steps<RedactedText> {
  const found: Counts = {};
  const outlook = yield* expected(text, rules, name);
  if (outlook === 'nothing') return { text, found };
  const change = stringRedaction(rules, found);
  let redacted = text;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const before = redacted;
    if (outlook === 'names') {
      redacted = yield* redactDocuments(redacted, change);
      redacted = yield* redactTables(redacted, rules, change);
    }
    redacted = yield* redactSpans(redacted, rules, { name, found });
    if (redacted === before) break;
  }
  return { text: redacted, found };
}

/** Of letters, backslashes and slashes in JSON: behind them any opening may hide. */
const ESCAPE = /\\(?:u00|[\\/])/;

function* expected(text: string, rules: RuleSet, name: string | undefined): Steps<CandidateFinder> {
  if (rules.custom.length > 0 || (name !== undefined && isSecretName(name, rules)) || ESCAPE.test(text))
    return 'names';
  return yield* candidateFinderFor(text, rules);
}

/** What becomes of the texts of a structured value. */
export function stringRedaction(rules: RuleSet, found: Counts): StringChange {
  return {
    found,
    isPlain: (text, name) => text.length <= PIECE && runSync(expected(text, rules, name)) === 'nothing',
    *text(text, name) {
      const redacted = yield* redaction(text, rules, name);
      countAll(found, redacted.found);
      return redacted.text;
    },
  };
}
