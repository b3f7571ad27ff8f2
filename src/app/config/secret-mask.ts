import { isJsonObject } from '../../base/json/json.ts';
import { redact } from '../../redaction/redact.ts';
import { makeRuleSet, type RuleSet } from '../../redaction/rule-set.ts';
import { canNameSecret } from '../../redaction/rules/named-secret/sensitive-name.ts';

const MASK = '(hidden)';
const SECRET_PARENTS = new Set(['env', 'headers', 'otlpHeaders']);
const FLAG = /^--?[\w-]+$/;
const ASSIGNMENT = /^([\w-]+)[=:](.*)$/s;
// A reference with a default is not plain: the default may itself be a secret.
const PLAIN_REFERENCE = /^\$\{[^}]+\}$/;

/**
 * Makes a value of the config safe to print. References are shown; a value where secrets belong is hidden whatever it
 * looks like, and any other value is redacted by the common rules.
 */
export function maskValue(path: readonly string[], value: unknown, rules: RuleSet): unknown {
  if (Array.isArray(value)) return value.map((item, i) => maskArgument(item, value[i - 1], rules));
  if (typeof value !== 'string') return value;
  const name = path.at(-1) ?? '';
  const isSecret =
    SECRET_PARENTS.has(path.at(-2) ?? '') || name === 'postgres' || canNameSecret(name, rules.classifyName);
  return isSecret ? maskSecret(value) : maskText(value, rules);
}

/** Masks every value of an object. */
export function maskDeep(
  value: unknown,
  path: readonly string[] = [],
  rules: RuleSet = makeRuleSet(),
): unknown {
  if (!isJsonObject(value)) return maskValue(path, value, rules);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, maskDeep(member, [...path, name], rules)]),
  );
}

function maskSecret(value: string): string {
  return PLAIN_REFERENCE.test(value) && !value.includes(':-') ? value : MASK;
}

/** `--token x`, `--token=x`, `API_KEY=x`, `Authorization: Bearer x`. */
function maskArgument(argument: unknown, previous: unknown, rules: RuleSet): unknown {
  if (typeof argument !== 'string') return argument;
  const isSecretName = (name: string): boolean => canNameSecret(name, rules.classifyName);
  if (typeof previous === 'string' && FLAG.test(previous) && isSecretName(previous))
    return maskSecret(argument);
  const [, name, assigned] = ASSIGNMENT.exec(argument) ?? [];
  if (name !== undefined && isSecretName(name)) {
    return `${argument.slice(0, name.length + 1)}${maskSecret(assigned!.trim())}`;
  }
  return maskText(argument, rules);
}

/** A URL can carry a password before the host and tokens in the query. */
function maskText(text: string, rules: RuleSet): string {
  if (!URL.canParse(text) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return redact(text, rules).text;
  const masked = text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${MASK}@`)
    .replace(/([?&][^=&#]+=)([^&#]*)/g, (_, name: string, value: string) => `${name}${maskSecret(value)}`);
  return redact(masked, rules).text;
}
