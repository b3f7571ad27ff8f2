import { makePrefilter, type Prefilter } from './engine/prefilter.ts';
import type { RedactionRule } from './rule.ts';
import { authorization } from './rules/authorization.ts';
import { BOTS_AND_WEBHOOKS } from './rules/bot-and-webhook.ts';
import { CLOUD_KEYS } from './rules/cloud-keys.ts';
import { commandPassword } from './rules/command-password.ts';
import { cookie } from './rules/cookie.ts';
import { credentialCall } from './rules/credential-call.ts';
import { CREDENTIAL_FILES } from './rules/credential-file.ts';
import { type CustomPattern, type CustomRule, makeCustomRule } from './rules/custom-rule.ts';
import { jsonWebKey, jwt } from './rules/jwt.ts';
import { makeNamedSecretRule, NAMED_SECRET } from './rules/named-secret/named-secret.ts';
import { makeNameClassifier, type NameClassifier } from './rules/named-secret/sensitive-name.ts';
import { passwordHash } from './rules/password-hash.ts';
import { privateKey } from './rules/private-key.ts';
import { PROVIDER_KEYS } from './rules/provider-keys.ts';
import { seedPhrase } from './rules/seed-phrase.ts';
import { makeTableValueRule } from './rules/table-value.ts';
import { translatedPassword } from './rules/translated-password.ts';
import { urlPassword } from './rules/url-password.ts';

/** The `redaction` section of the configuration. */
export interface RedactionOptions {
  /** Names of built-in rules to disable. */
  readonly off?: readonly string[];
  readonly rules?: readonly CustomPattern[];
  /** Names of members, headers and variables whose values are secret, beside the built-in ones. */
  readonly keys?: readonly string[];
}

export interface RuleSet {
  readonly prefilter: Prefilter;
  readonly custom: readonly CustomRule[];
  readonly classifyName: NameClassifier;
  readonly off: ReadonlySet<string>;
}

// Rules run in this order at a position: those that know the form of a secret before those that know its context.
const BUILT_IN: readonly RedactionRule[] = [
  privateKey,
  jsonWebKey,
  passwordHash,
  jwt,
  ...PROVIDER_KEYS,
  ...CLOUD_KEYS,
  ...BOTS_AND_WEBHOOKS,
  seedPhrase,
  urlPassword,
  commandPassword,
  authorization,
  cookie,
  ...CREDENTIAL_FILES,
  credentialCall,
  translatedPassword,
];

/** Every name that `off` accepts. */
export const RULE_NAMES: readonly string[] = [
  ...new Set([...BUILT_IN.map(({ name }) => name), NAMED_SECRET]),
];

/** Compiles the configuration once. Throws a `TypeError` with a message for the operator where an option is invalid. */
export function makeRuleSet({ off = [], rules = [], keys = [] }: RedactionOptions = {}): RuleSet {
  const unknown = off.find((name) => !RULE_NAMES.includes(name));
  if (unknown !== undefined)
    throw new TypeError(
      `Unknown redaction rule "${unknown}" in "off". Use a rule name from docs/reference/redaction.md.`,
    );
  const disabled = new Set(off);
  const classifyName = makeNameClassifier(keys);
  const named = [makeNamedSecretRule(keys, classifyName), makeTableValueRule(classifyName)];
  const active = [...BUILT_IN, ...named].filter(({ name }) => !disabled.has(name));
  return {
    prefilter: makePrefilter(active),
    custom: rules.map((rule) => makeCustomRule(rule, RULE_NAMES)),
    classifyName,
    off: disabled,
  };
}
