import { makePrefilter, type Prefilter } from './engine/prefilter.ts';
import type { RedactionRule } from './rule.ts';
import { authorization } from './rules/authorization.ts';
import { BOTS_AND_WEBHOOKS } from './rules/bot-and-webhook.ts';
import { CLOUD_KEYS } from './rules/cloud-keys.ts';
import { commandPassword } from './rules/command-password.ts';
import { cookie } from './rules/cookie.ts';
import { type CustomPattern, type CustomRule, customRule } from './rules/custom-rule.ts';
import { jwt } from './rules/jwt.ts';
import { NAMED_SECRET, namedSecretRule } from './rules/named-secret/named-secret.ts';
import { type KindOf, kindsOfNames } from './rules/named-secret/sensitive-name.ts';
import { privateKey } from './rules/private-key.ts';
import { PROVIDER_KEYS } from './rules/provider-keys.ts';
import { urlPassword } from './rules/url-password.ts';

/** What an operator may change. */
export interface RedactionOptions {
  /** Names of rules that do not apply. */
  readonly off?: readonly string[];
  readonly rules?: readonly CustomPattern[];
  /** Names of members, headers and variables whose values are secret, beside those that are known. */
  readonly keys?: readonly string[];
}

export interface RuleSet {
  readonly prefilter: Prefilter;
  readonly custom: readonly CustomRule[];
  readonly kindOf: KindOf;
  readonly off: ReadonlySet<string>;
}

// The order in which a place is judged: those that know the form of a secret before those that know where one stands.
const BUILT_IN: readonly RedactionRule[] = [
  privateKey,
  jwt,
  ...PROVIDER_KEYS,
  ...CLOUD_KEYS,
  ...BOTS_AND_WEBHOOKS,
  urlPassword,
  commandPassword,
  authorization,
  cookie,
];

/** Every name that `off` may hold. */
export const RULE_NAMES: readonly string[] = [
  ...new Set([...BUILT_IN.map(({ name }) => name), NAMED_SECRET]),
];

/** Made once from the configuration. Throws a sentence for the operator where a rule cannot be used. */
export function makeRuleSet({ off = [], rules = [], keys = [] }: RedactionOptions = {}): RuleSet {
  const unknown = off.find((name) => !RULE_NAMES.includes(name));
  if (unknown !== undefined) throw new TypeError(`There is no redaction rule "${unknown}".`);
  const skipped = new Set(off);
  const kindOf = kindsOfNames(keys);
  const active = [...BUILT_IN, namedSecretRule(keys, kindOf)].filter(({ name }) => !skipped.has(name));
  return {
    prefilter: makePrefilter(active),
    custom: rules.map((rule) => customRule(rule, RULE_NAMES)),
    kindOf,
    off: skipped,
  };
}
