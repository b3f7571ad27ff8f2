import { isPlaceholder } from './placeholder.ts';
import type { NameKind } from './sensitive-name.ts';

/** How a value stands in its text. */
export type Standing =
  /** Between quotes, or alone in a member of a structured value. */
  | 'quoted'
  /** Bare, where only a value can stand: a line of a settings file, a query, a connection string. */
  | 'bare'
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
const RANDOM_RUN = /(?=[A-Za-z0-9]{0,15}\d)(?=[A-Za-z0-9]{0,15}[A-Za-z])[A-Za-z0-9]{16}/;
const IDENTIFIERS = /^[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)+$/;
const LETTERS = /^[A-Za-z_$]+$/;
const SLUG = /^[a-z]+(?:[-_./:][a-z]+)*$/;
const WORDS = /^[A-Z]?[a-z]+(?:[-_. ][A-Z]?[a-z]+|[A-Z][a-z]+)*$/;
const SENTENCE = /^[\p{L}\p{M}'’?!.,:;()-]+(?:\s+[\p{L}\p{M}'’?!.,:;()-]+)+$/u;
const DIGITS = /^[\d.,]+$/;
const READ = 256;

export interface Named {
  readonly kind: NameKind;
  readonly standing: Standing;
  /** A name that announces several words. */
  readonly isPhrase?: boolean;
}

/** Whether the value of a name that says "secret" is one, and not a placeholder, a reference, a type or an expression. */
export function isSecretValue(value: string, { kind, standing, isPhrase }: Named): boolean {
  const head = value.slice(0, READ);
  if (isPlaceholder(head) || ORDINARY.has(head.toLowerCase())) return false;
  const isRandom = RANDOM_RUN.test(head);
  if (!isRandom && (REFERENCE.test(head) || PATH.test(head))) return false;
  if (DIGITS.test(head))
    return kind === 'password' ? head.length >= 4 && standing !== 'told' : head.length >= 16;
  if (standing === 'quoted') return isQuotedSecret(head, kind, isPhrase === true);
  if (standing === 'told') return isTold(head);
  if (!isRandom && IDENTIFIERS.test(head)) return false;
  if (kind === 'secret') return isMachineMade(head);
  return standing === 'bare' || !LETTERS.test(head);
}

function isQuotedSecret(value: string, kind: NameKind, isPhrase: boolean): boolean {
  if (SENTENCE.test(value)) return isPhrase;
  return kind === 'password' || isMachineMade(value);
}

/** Not a word, not words with dashes, not the name of a thing. */
function isMachineMade(value: string): boolean {
  if (value.length < 6) return false;
  if (/\d/.test(value)) return value.length > 12 || !/^[a-z]+[-_ ]?\d{1,3}$/i.test(value);
  if (SLUG.test(value)) return value.length >= 20 && !/[-_./:]/.test(value);
  return value.length >= 16 ? !WORDS.test(value) : /[^\w\s.-]/.test(value);
}

function isTold(value: string): boolean {
  if (value.length < 6 || /^\d+[-A-Za-z]+$/.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value);
}
