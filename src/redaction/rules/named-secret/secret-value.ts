import { isPlaceholder } from '../placeholder.ts';
import { isUserAndPassword } from '../user-and-password.ts';
import type { NameKind } from './sensitive-name.ts';

/** Where a value occurs in a text. */
export type ValueContext =
  /** The whole value of a member of a structured value. */
  | 'member'
  | 'quoted'
  /** Unquoted, where only a value is possible: a line of a settings file, a query, a connection string. */
  | 'setting'
  /** Unquoted, up to the end of a line that starts with the name: settings, or code in that form. */
  | 'line'
  /** Unquoted, where code or a sentence is possible too. */
  | 'loose'
  /** After `is`: probably a word of a sentence. */
  | 'sentence';

const ORDINARY_WORDS = new Set(
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
const MEMBER_ACCESS = /^!{0,2}[A-Za-z_$][\w$]*(?:\??(?:\.|->|::)#?[A-Za-z_$][\w$]*)*[!?]?$/;
// `accessToken2`, `TokenSchema$1`
const CAMEL_CASE =
  /^_{0,2}(?:[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}|(?:[a-z]+|[A-Z][a-z]+)(?:[A-Z][a-z]+)+[$_]\d{1,2}|(?:[a-z]+|[A-Z][a-z]+)(?:[A-Z][a-z]+){2,}\d{1,2})$/;
const SECRET_IDENTIFIER = /^[A-Za-z_$]*(?:pass|token|secret|auth|key)[A-Za-z_$]*\d{0,2}$/i;
const MIN_MEAN_WORD_LENGTH = 3.3;
const LETTERS = /^[A-Za-z_$]+$/;
const SENTENCE = /^[\p{L}\p{M}'’?!.,:;()-]+(?:\s+[\p{L}\p{M}'’?!.,:;()-]+)+$/u;
const DIGITS = /^\d+$/;
const NUMBER = /^(?:0x[\da-f]{1,31}|#[\da-f]{3,8}|[\^~<>=v@]*\d+(?:[.,_]\d+)+[\w.-]*)$/i;
// Text after the end of a string: the quote before it closes a string, as in `prompt('Password: ', stream)`.
const AFTER_STRING = /^(?:[,)\]};]|\s+[+%,.)])/;
const INSPECTED_LENGTH = 96;

export interface NamedValue {
  readonly kind: NameKind;
  readonly context: ValueContext;
  /** Whether the name announces several words, as `passphrase` does. */
  readonly isPhrase?: boolean;
}

/** Whether the value of a sensitive name is a secret, not a placeholder, a reference, a type or an expression. */
export function isSecretValue(value: string, { kind, context, isPhrase }: NamedValue): boolean {
  if (kind === 'login') return isUserAndPassword(value);
  const head = value.slice(0, INSPECTED_LENGTH);
  if (kind === 'secret' && !isMachineGenerated(head)) return false;
  if (isPlaceholder(head) || ORDINARY_WORDS.has(head.toLowerCase())) return false;
  if (NUMBER.test(head)) return false;
  if (DIGITS.test(head))
    return kind === 'password' ? head.length >= 4 && context !== 'sentence' : head.length >= 16;
  const random = hasRandomRun(head);
  if (!random && (REFERENCE.test(head) || PATH.test(head))) return false;
  if (context === 'quoted' && AFTER_STRING.test(head)) return false;
  if (context === 'quoted' || context === 'member')
    return isQuotedSecret(head, isPhrase === true || (kind === 'password' && isPassphrase(head)));
  if (context === 'sentence') return isSecretInSentence(head);
  if (isExpression(head, context, random)) return false;
  if (context === 'loose' && head.startsWith(':')) return false;
  if (context !== 'loose') return true;
  return kind === 'secret' ? head.length >= 8 : !LETTERS.test(head);
}

/** Whether a value contains a long run of letters and digits. */
export function hasRandomRun(value: string): boolean {
  const runs = value.slice(0, INSPECTED_LENGTH).match(LONG_RUN) ?? [];
  return runs.some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));
}

const ORDINARY_TERM =
  /^(?:sha-?\d{1,3}|md[45]|utf-?\d{1,2}|base\d{2}|oauth-?\d|http\d|ipv[46]|x509|(?:pass(?:word)?|pwd|user(?:name)?|name|field|column|col|item|value|token|key|secret|email|id|test|option|param|arg)[_-]?\d{0,3})$/i;

/** Whether a value is certainly not a word, an identifier or a sentence. For places where it need not be a value. */
export function isGenerated(value: string): boolean {
  return (
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    value.length >= 6 &&
    !/\s/.test(value) &&
    !ORDINARY_TERM.test(value)
  );
}

function isExpression(value: string, context: ValueContext, random: boolean): boolean {
  if (context !== 'setting' && (isCamelCase(value) || SECRET_IDENTIFIER.test(value))) return true;
  return (
    /[.>:]/.test(value) &&
    MEMBER_ACCESS.test(value) &&
    (!random || SECRET_IDENTIFIER.test(value.split(/[.>:]/).at(-1)!))
  );
}

function isQuotedSecret(value: string, isPhrase: boolean): boolean {
  if (SENTENCE.test(value)) return isPhrase;
  return !(isCamelCase(value) && SECRET_IDENTIFIER.test(value));
}

const WORDS = /^[a-z]{3,12}(?:[ -][a-z]{3,12}){3,11}$/;
const SENTENCE_WORDS = new Set(
  (
    'the and are but for not you your our their his her its this that these those with without from into must should ' +
    'may can could will would has have had was were been being use uses used using enter type please forgot reset ' +
    'change confirm new old current field here there when where which who what why how all any each some more most ' +
    'least minimum maximum between characters letters digits numbers symbols required optional invalid incorrect ' +
    'wrong missing empty expired stored stores hashed encrypted plain text value values set sets get gets via per ' +
    'does did needs need only also then than after before password passwords passphrase secret token user users ' +
    'login account accounts authentication database server file files path name string'
  ).split(' '),
);

/** Whether a value consists of words that make no sentence: `correct horse battery staple`. */
function isPassphrase(value: string): boolean {
  return WORDS.test(value) && !value.split(/[ -]/).some((word) => SENTENCE_WORDS.has(word));
}

/** Words of camel case have some length; random letters change their case at every second or third. */
function isCamelCase(value: string): boolean {
  return (
    CAMEL_CASE.test(value) && value.length / (1 + value.replace(/[^A-Z]/g, '').length) >= MIN_MEAN_WORD_LENGTH
  );
}

/** Whether a value is not made of words: a single one, with dashes, in camel case or with a number. */
function isMachineGenerated(value: string): boolean {
  if (value.length < 6) return false;
  if (/\d/.test(value)) return value.length > 12 || !/^[a-z]+[-_ ]?\d{1,3}$/i.test(value);
  if (!/[A-Z]/.test(value)) {
    if (/^[a-z]+$/.test(value)) return value.length >= 20;
    return value.length < 16 && /[^\w\s./:-]/.test(value) && /[a-z]/.test(value);
  }
  if (isCamelCase(value.replace(/^\W+|\W+$/g, ''))) return false;
  const changes = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  return value.length >= 16 ? changes >= value.length / 4 : /[^\w\s.-]/.test(value);
}

function isSecretInSentence(value: string): boolean {
  if (value.length < 6 || /^\d+[-A-Za-z]+$/.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value);
}
