/** A password may be any text; a secret was drawn by a machine, and a plain word is none; a login is base64 of both parts. */
export type NameKind = 'password' | 'secret' | 'login';

const PASSWORD =
  /(?:password|passwd|passwort|passphrase|pwd)$|^(?:require|db|user|smtp|mail|root|admin|my|bind|auth|ftp|key|store|ssh|login)pass$/;
const SECRET = /(?:secret|token|api_?key|sess(?:ion)?id)$/;
const KEYS = wordSet(
  'api access secret private encryption encrypt decryption signing sign signature account master auth authentication',
  'authorization subscription shared storage service session webhook hmac jwt cipher aes consumer app application',
  'client admin root bot deploy license function host management write integration',
);
const GLUED_KEY = new RegExp(`(?:${[...KEYS].join('|')})key$`);
// `API_KEY_2`, `password_prod`, `secret_key_base`, `client-key-data`
const SUFFIXES = wordSet(
  'prod production staging stage dev development test live old new value base base64 b64 plain text str string raw data',
);
/** What makes it another thing: the next page, a symbol of a tokenizer, a question instead of a value. */
const OTHER_THINGS = wordSet(
  'page next prev previous continuation continue pagination sync cursor resume start scroll delta progress resumption',
  'cancel cancellation',
  'pad eos bos unk mask sep cls special image stop max min num public publishable has is needs use uses',
);
/** What one does with a password is no password. */
const ACTIONS = wordSet(
  'requires require required allow enable show hide forgot reset change no without validate check verify',
);

function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Lower-case words of a name in any of the usual spellings. */
function wordsOf(name: string): string[] {
  return name
    .replace(/^-D(?=[A-Za-z])/, '')
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Spelling aside, the same name: `Api-Key`, `apiKey`, `API_KEY`. */
export function plainName(name: string): string {
  return wordsOf(name).join('');
}

/** What any spelling of a name holds: its longest word, or a short one with what follows a name. */
export function opensOf(name: string): string[] {
  const longest = wordsOf(name).reduce((one, other) => (other.length > one.length ? other : one), '');
  return longest.length >= 3
    ? [longest]
    : [...'=:"\'\\ '].map((after) => longest + after).filter((open) => open.length >= 3);
}

export type KindOf = (name: string) => NameKind | undefined;

const MOST_NAMES_KEPT = 4_096;
const LONGEST_NAME_KEPT = 128;

/** `kindOfName` for good, with what an operator added: each row of a result has the same names. */
export function kindsOfNames(added: readonly string[]): KindOf {
  const extra = new Set(added.map(plainName));
  const kept = new Map<string, NameKind | undefined>();
  return (name) => {
    if (kept.has(name)) return kept.get(name);
    const kind = kindOfName(name, extra);
    if (kept.size >= MOST_NAMES_KEPT) kept.clear();
    if (name.length <= LONGEST_NAME_KEPT) kept.set(name, kind);
    return kind;
  };
}

const ANNOUNCING = wordSet('auth oauth authorization cookie credential bearer');

/**
 * Whether what a name stands for may be secret, or made of a secret: for what is printed of a config, where nothing is
 * lost when too much is hidden.
 */
export function mayNameSecret(name: string, kindOf: KindOf): boolean {
  const words = wordsOf(name).map((word) => (/[^s]s$/.test(word) ? word.slice(0, -1) : word));
  return words.some(
    (word, i) => ANNOUNCING.has(word) || kindOf(words.slice(0, i + 1).join(' ')) !== undefined,
  );
}

/** Whether a name says that its value is secret. `extra` holds plain names that an operator added. */
export function kindOfName(name: string, extra: ReadonlySet<string>): NameKind | undefined {
  const words = wordsOf(name);
  if (extra.size > 0 && extra.has(words.join(''))) return 'password';
  while (words.length > 1 && (SUFFIXES.has(words.at(-1)!) || /^\d+$/.test(words.at(-1)!))) words.pop();
  const last = words.at(-1) ?? '';
  const kind = kindOfWords(words, last);
  const isOther = (word: string): boolean =>
    OTHER_THINGS.has(word) || (kind === 'password' && ACTIONS.has(word));
  return kind !== undefined && words.some(isOther) ? undefined : kind;
}

function kindOfWords(words: readonly string[], last: string): NameKind | undefined {
  if (PASSWORD.test(last) || words.join(' ').endsWith('identified by')) return 'password';
  if (last === 'pass' || last === 'pw') return words.length > 1 ? 'password' : 'secret';
  if (last === 'auth') return 'login';
  if (SECRET.test(last) || GLUED_KEY.test(last)) return 'secret';
  return last === 'key' && KEYS.has(words.at(-2) ?? '') ? 'secret' : undefined;
}
