import { isPlaceholder } from '../placeholder.ts';
import { isUserAndPassword } from '../user-and-password.ts';
import type { NameKind } from './sensitive-name.ts';

/** How a value stands in its text. */
export type Standing =
  /** Alone in a member of a structured value. */
  | 'alone'
  /** Between quotes. */
  | 'quoted'
  /** Bare, where only a value can stand: a line of a settings file, a query, a connection string. */
  | 'bare'
  /** Bare, to the end of a line that starts with the name: settings, or code that is written like them. */
  | 'line'
  /** Bare, where code or a sentence may stand as well. */
  | 'loose'
  /** After `is`: a sentence, unless the word could be nothing else. */
  | 'told';

const ORDINARY = new Set(
  (
    'true false null nil none undefined void yes no on off string str text number int integer bool boolean bytes byte ' +
    'object array any unknown never char varchar buffer required optional missing invalid valid expired incorrect ' +
    'wrong correct ok failed denied accepted rejected set unset present absent empty enabled disabled default changed ' +
    'updated created deleted revoked rotated reset hidden masked redacted protected encrypted hashed plain basic ' +
    'bearer return new await async function this self typeof class const let var import from and or the a an is are ' +
    'must should may can will not todo tbd n/a na unchanged strong weak'
  ).split(' '),
);
const REFERENCE =
  /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:arn|vault|ssm|env|file|secretref|awssm|keyvault|sops|kms|ref):|@Microsoft\.KeyVault|!(?:Ref|Sub|GetAtt|secret|vault|env)\b|projects\/)/i;
const PATH = /^(?:~|\.{0,2})(?:\/[\w.@-]{1,40})+\/?$/;
const LONG_RUN = /[A-Za-z0-9]{16,}/g;
// `request.token`, `options?.token`, `!this.token`, `Config::token`
const ACCESS = /^!{0,2}[A-Za-z_$][\w$]*(?:\??(?:\.|->|::)#?[A-Za-z_$][\w$]*)*[!?]?$/;
// `accessToken2`, `TokenSchema$1`: humps of letters, or a word for a secret in it.
const HUMPS =
  /^_{0,2}(?:[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}|(?:[a-z]+|[A-Z][a-z]+)(?:[A-Z][a-z]+)+[$_]\d{1,2}|(?:[a-z]+|[A-Z][a-z]+)(?:[A-Z][a-z]+){2,}\d{1,2})$/;
const NAMES_A_SECRET = /^[A-Za-z_$]*(?:pass|token|secret|auth|key)[A-Za-z_$]*\d{0,2}$/i;
const SHORTEST_HUMP = 3.3;
const LETTERS = /^[A-Za-z_$]+$/;
const SENTENCE = /^[\p{L}\p{M}'’?!.,:;()-]+(?:\s+[\p{L}\p{M}'’?!.,:;()-]+)+$/u;
const DIGITS = /^\d+$/;
const NUMBER = /^(?:0x[\da-f]+|#[\da-f]{3,8}|[\^~<>=v]*\d+(?:[.,_]\d+)+[\w.-]*)$/i;
// What follows a string that ended: the quote before it was its last, as in `prompt('Password: ', stream)`.
const AFTER_STRING = /^(?:[,)\]};]|\s+[+%,.)])/;
const READ = 96;

export interface Named {
  readonly kind: NameKind;
  readonly standing: Standing;
  /** A name that announces several words. */
  readonly isPhrase?: boolean;
}

/** Whether the value of a name that says "secret" is one, and not a placeholder, a reference, a type or an expression. */
export function isSecretValue(value: string, { kind, standing, isPhrase }: Named): boolean {
  if (kind === 'login') return isUserAndPassword(value);
  const head = value.slice(0, READ);
  if (kind === 'secret' && !isMachineMade(head)) return false;
  if (isPlaceholder(head) || ORDINARY.has(head.toLowerCase())) return false;
  if (NUMBER.test(head)) return false;
  if (DIGITS.test(head))
    return kind === 'password' ? head.length >= 4 && standing !== 'told' : head.length >= 16;
  const random = isRandom(head);
  if (!random && (REFERENCE.test(head) || PATH.test(head))) return false;
  if (standing === 'quoted' && AFTER_STRING.test(head)) return false;
  if (standing === 'quoted' || standing === 'alone') return isQuotedSecret(head, isPhrase === true);
  if (standing === 'told') return isTold(head);
  if (isExpression(head, standing, random)) return false;
  if (standing === 'loose' && head.startsWith(':')) return false;
  if (standing !== 'loose') return true;
  return kind === 'secret' ? head.length >= 8 : !LETTERS.test(head);
}

/** A long run of drawn characters. */
export function isRandom(value: string): boolean {
  const runs = value.slice(0, READ).match(LONG_RUN) ?? [];
  return runs.some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));
}

function isExpression(value: string, standing: Standing, random: boolean): boolean {
  if (standing !== 'bare' && (isHumps(value) || NAMES_A_SECRET.test(value))) return true;
  return (
    /[.>:]/.test(value) &&
    ACCESS.test(value) &&
    (!random || NAMES_A_SECRET.test(value.split(/[.>:]/).at(-1)!))
  );
}

function isQuotedSecret(value: string, isPhrase: boolean): boolean {
  if (SENTENCE.test(value)) return isPhrase;
  return !(isHumps(value) && NAMES_A_SECRET.test(value));
}

/** Words have some length; drawn letters change their case at every second or third. */
function isHumps(value: string): boolean {
  return HUMPS.test(value) && value.length / (1 + value.replace(/[^A-Z]/g, '').length) >= SHORTEST_HUMP;
}

/** Not a word, not words with dashes or humps, not the name of a thing. */
function isMachineMade(value: string): boolean {
  if (value.length < 6) return false;
  if (/\d/.test(value)) return value.length > 12 || !/^[a-z]+[-_ ]?\d{1,3}$/i.test(value);
  if (!/[A-Z]/.test(value)) {
    if (/^[a-z]+$/.test(value)) return value.length >= 20;
    return value.length < 16 && /[^\w\s./:-]/.test(value) && /[a-z]/.test(value);
  }
  if (isHumps(value.replace(/^\W+|\W+$/g, ''))) return false;
  const changes = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  return value.length >= 16 ? changes >= value.length / 4 : /[^\w\s.-]/.test(value);
}

function isTold(value: string): boolean {
  if (value.length < 6 || /^\d+[-A-Za-z]+$/.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value);
}
