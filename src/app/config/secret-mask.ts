import { isJsonObject } from '../../base/json/json.ts';
import { redact } from '../../redaction/redact.ts';
import { makeRuleSet, type RuleSet } from '../../redaction/rule-set.ts';
import { mayNameSecret } from '../../redaction/rules/named-secret/sensitive-name.ts';

const HIDDEN = '(hidden)';
const SECRET_HOLDERS = new Set(['env', 'headers', 'otlpHeaders']);
const FLAG = /^--?[\w-]+$/;
const ASSIGNMENT = /^([\w-]+)[=:](.*)$/s;
// Without a default: that one may be a secret which somebody wrote down after all.
const PLAIN_REFERENCE = /^\$\{[^}]+\}$/;

/**
 * A value of the config as it may be printed. References are shown; what stands where secrets stand is hidden, whatever it
 * looks like, and the rest is redacted like everything else.
 */
export function masked(path: readonly string[], value: unknown, rules: RuleSet): unknown {
  if (Array.isArray(value)) return value.map((item, i) => maskedArgument(item, value[i - 1], rules));
  if (typeof value !== 'string') return value;
  const name = path.at(-1) ?? '';
  const isSecret =
    SECRET_HOLDERS.has(path.at(-2) ?? '') || name === 'postgres' || mayNameSecret(name, rules.kindOf);
  return isSecret ? hidden(value) : maskedText(value, rules);
}

/** The same through objects. */
export function maskedDeep(
  value: unknown,
  path: readonly string[] = [],
  rules: RuleSet = makeRuleSet(),
): unknown {
  if (!isJsonObject(value)) return masked(path, value, rules);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, maskedDeep(member, [...path, name], rules)]),
  );
}

function hidden(value: string): string {
  return PLAIN_REFERENCE.test(value) && !value.includes(':-') ? value : HIDDEN;
}

/** `--token x`, `--token=x`, `API_KEY=x`, `Authorization: Bearer x`. */
function maskedArgument(argument: unknown, before: unknown, rules: RuleSet): unknown {
  if (typeof argument !== 'string') return argument;
  const announces = (name: string): boolean => mayNameSecret(name, rules.kindOf);
  if (typeof before === 'string' && FLAG.test(before) && announces(before)) return hidden(argument);
  const [, name, assigned] = ASSIGNMENT.exec(argument) ?? [];
  if (name !== undefined && announces(name)) {
    return `${argument.slice(0, name.length + 1)}${hidden(assigned!.trim())}`;
  }
  return maskedText(argument, rules);
}

/** Addresses carry passwords before the host and tokens in the query. */
function maskedText(text: string, rules: RuleSet): string {
  if (!URL.canParse(text) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return redact(text, rules).text;
  const masked = text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${HIDDEN}@`)
    .replace(/([?&][^=&#]+=)([^&#]*)/g, (_, name: string, value: string) => `${name}${hidden(value)}`);
  return redact(masked, rules).text;
}
