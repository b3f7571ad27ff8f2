import { isJsonObject } from '../contract/json.ts';

const HIDDEN = '(hidden)';
const SECRET_HOLDERS = new Set(['env', 'headers', 'otlpHeaders']);
const SECRET_NAME = /token|secret|passw|pwd|api.?key|access.?key|private.?key|auth|credential|cookie|bearer/i;
const FLAG = /^--?[\w-]+$/;
const ASSIGNMENT = /^(--?[\w-]+|\w+)[=:](.*)$/s;
// Without a default: that one may be a secret which somebody wrote down after all.
const PLAIN_REFERENCE = /^\$\{[^}]+\}$/;

/** A value of the config as it may be printed. References are shown; what may be a secret itself is not. */
export function masked(path: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, i) => maskedArgument(item, value[i - 1]));
  if (typeof value !== 'string') return value;
  const name = path.at(-1) ?? '';
  const isSecret = SECRET_HOLDERS.has(path.at(-2) ?? '') || name === 'postgres' || SECRET_NAME.test(name);
  return isSecret ? hidden(value) : maskedAddress(value);
}

/** The same through objects. */
export function maskedDeep(value: unknown, path: readonly string[] = []): unknown {
  if (!isJsonObject(value)) return masked(path, value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, maskedDeep(member, [...path, name])]),
  );
}

function hidden(value: string): string {
  return PLAIN_REFERENCE.test(value) && !value.includes(':-') ? value : HIDDEN;
}

/** `--token x`, `--token=x`, `API_KEY=x`, `Authorization: Bearer x`. */
function maskedArgument(argument: unknown, before: unknown): unknown {
  if (typeof argument !== 'string') return argument;
  if (typeof before === 'string' && FLAG.test(before) && SECRET_NAME.test(before)) return hidden(argument);
  const [, name, assigned] = ASSIGNMENT.exec(argument) ?? [];
  if (name !== undefined && SECRET_NAME.test(name)) {
    return `${argument.slice(0, name.length + 1)}${hidden(assigned!.trim())}`;
  }
  return maskedAddress(argument);
}

/** Addresses carry passwords before the host and tokens in the query. */
function maskedAddress(text: string): string {
  if (!URL.canParse(text) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${HIDDEN}@`)
    .replace(/([?&][^=&#]+=)([^&#]*)/g, (_, name: string, value: string) => `${name}${hidden(value)}`);
}
