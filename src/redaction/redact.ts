import { runSync, type Steps } from '../base/async/cooperative.ts';
import { addCounts, type RuleCounts } from './engine/counts.ts';
import type { StringMapper } from './engine/map-strings.ts';
import { redactSpans } from './engine/redact-spans.ts';
import { type CandidateKind, CHUNK_LENGTH, classifyCandidates } from './engine/spans.ts';
import { redactDocuments } from './formats/redact-documents.ts';
import { redactTables } from './formats/redact-tables.ts';
import type { RuleSet } from './rule-set.ts';
import { isSecretName } from './rules/named-secret/member-name.ts';

export interface RedactedText {
  readonly text: string;
  readonly found: Readonly<RuleCounts>;
}

// A redaction changes the context of the text around it, which is then judged again. In practice the second pass changes
// nothing more, but no proof bounds the number of passes.
const MAX_PASSES = 4;

/**
 * Redacts the secrets of a text. Returns the same string where it has none, and is idempotent. `name` is the member
 * whose whole value the text is.
 */
export function redact(text: string, rules: RuleSet, name?: string): RedactedText {
  return runSync(redactInSteps(text, rules, name));
}

/**
 * `redact` in steps, for texts of any length. Documents and tables are redacted by their structure, because a name may
 * be far from its value, and before other text, because other redactions could make them malformed.
 */
export function* redactInSteps(text: string, rules: RuleSet, name?: string): Steps<RedactedText> {
  const found: RuleCounts = {};
  const kind = yield* classifyText(text, rules, name);
  if (kind === 'none') return { text, found };
  const mapper = makeStringRedactor(rules, found);
  let redacted = text;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = redacted;
    if (kind === 'names') {
      redacted = yield* redactDocuments(redacted, mapper);
      redacted = yield* redactTables(redacted, rules, mapper);
    }
    redacted = yield* redactSpans(redacted, rules, { name, found });
    if (redacted === before) break;
  }
  return { text: redacted, found };
}

/** Escapes of letters, backslashes and slashes in JSON: they can hide a keyword from the prefilter. */
const ESCAPE = /\\(?:u00|[\\/])/;

function* classifyText(text: string, rules: RuleSet, name: string | undefined): Steps<CandidateKind> {
  if (rules.custom.length > 0 || (name !== undefined && isSecretName(name, rules)) || ESCAPE.test(text))
    return 'names';
  return yield* classifyCandidates(text, rules);
}

/** Redacts the strings of a structured value. */
export function makeStringRedactor(rules: RuleSet, found: RuleCounts): StringMapper {
  return {
    found,
    isSecretName: (name) => isSecretName(name, rules),
    isUnchanged: (text, name) =>
      text.length <= CHUNK_LENGTH && runSync(classifyText(text, rules, name)) === 'none',
    *map(text, name) {
      const redacted = yield* redactInSteps(text, rules, name);
      addCounts(found, redacted.found);
      return redacted.text;
    },
  };
}
