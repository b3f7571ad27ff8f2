/** A password may be any text; a secret is machine-generated, so never a plain word; a login is base64 of `user:password`. */
export type NameKind = 'password' | 'secret' | 'login';

const PASSWORD =
  /(?:password|passwd|passwort|passphrase|passcode|pwd|psk|kennwort|wachtwoord|senha|contrasena|motdepasse|haslo|heslo|salasana|jelszo|losenord)s?$|^(?:require|db|user|smtp|mail|root|admin|my|bind|auth|ftp|key|store|ssh|login|sql|ldap|vnc|wifi)(?:pass|pw)$|^masterauth$/;
/** Beyond ASCII, with and without its accents. */
const TRANSLATED_PASSWORD =
  /(?:contraseña|mot de passe|lösenord|hasło|jelszó|şifre|пароль|密码|密碼|口令|パスワード|비밀번호|암호|κωδικός|סיסמה|كلمة المرور|पासवर्ड)$/iu;
const SECRET = /(?:secrets?|token|api_?key|sess(?:ion)?id)$/;
const KEYS = makeWordSet(
  'api access secret private encryption encrypt decryption signing sign signature account master auth authentication',
  'authorization subscription shared storage service session webhook hmac jwt cipher aes consumer app application',
  'client admin root bot deploy license function host management write integration preshared unseal recovery ssh gpg',
  'rsa symmetric validation crypt crypto vault server stream ingest developer partner activation wpa wpa2 wifi isakmp',
);
/** Several of them in a list: `unseal_keys_b64`, `backup_codes`. */
const KEY_LISTS = /(?:unseal|recovery) keys$|(?:backup|recovery|scratch) codes?$/;
/** Named after what it is used for: `LOGGED_IN_KEY`, `AUTH_SALT`, `GITHUB_PAT`. */
const NAMED_AFTER_USE =
  /(?:logged in|nonce) key$|(?:auth|in|nonce|hash|password|secret|session|cookie) salt$|(?:github|gh|gitlab|azure|devops|ado|bitbucket|ci|bot|repo|access|deploy|user) pat$|^wif$/;
const JOINED_KEY = new RegExp(`(?:${[...KEYS].join('|')})key$`);
// `API_KEY_2`, `password_prod`, `secret_key_base`, `client-key-data`
const SUFFIXES = makeWordSet(
  'prod production staging stage dev development test live old new value base base64 b64 plain text str string raw data',
);
/** Words that make a name harmless: a page token, a symbol of a tokenizer, a yes-or-no question. */
const HARMLESS_WORDS = makeWordSet(
  'page next prev previous continuation continue pagination sync cursor resume start scroll delta progress resumption',
  'cancel cancellation',
  'pad eos bos unk mask sep cls special image stop max min num public publishable has is needs use uses',
);
/** The name of an action on a password is not the name of a password. */
const ACTIONS = makeWordSet(
  'requires require required allow enable show hide forgot reset change no without validate check verify',
);

function makeWordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Splits a name in any common spelling into lower-case words. */
function splitWords(name: string): string[] {
  return name
    .replace(/^-D(?=[A-Za-z])/, '')
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Gives all spellings of a name one form: `Api-Key`, `apiKey` and `API_KEY` become `apikey`. */
function normalizeName(name: string): string {
  return splitWords(name).join('');
}

/** Selects keywords that every spelling of a name contains: its longest word, or a short one with the character after it. */
export function selectKeywords(name: string): string[] {
  const longest = splitWords(name).reduce((one, other) => (other.length > one.length ? other : one), '');
  return longest.length >= 3
    ? [longest]
    : [...'=:"\'\\ '].map((after) => longest + after).filter((keyword) => keyword.length >= 3);
}

export type NameClassifier = (name: string) => NameKind | undefined;

const MAX_CACHED_NAMES = 4_096;
const MAX_CACHED_LENGTH = 128;

/** Makes a caching `classifyName` with the names from the configuration: all rows of a result have the same names. */
export function makeNameClassifier(added: readonly string[]): NameClassifier {
  const extra = new Set(added.map(normalizeName));
  const cached = new Map<string, NameKind | undefined>();
  return (name) => {
    if (cached.has(name)) return cached.get(name);
    const kind = classifyName(name, extra);
    if (cached.size >= MAX_CACHED_NAMES) cached.clear();
    if (name.length <= MAX_CACHED_LENGTH) cached.set(name, kind);
    return kind;
  };
}

const CREDENTIAL_WORDS = makeWordSet('auth oauth authorization cookie credential bearer');

/** Whether a value may be secret or contain a secret. Meant for printing a configuration, where hiding too much is harmless. */
export function canNameSecret(name: string, classify: NameClassifier): boolean {
  const words = splitWords(name).map((word) => (/[^s]s$/.test(word) ? word.slice(0, -1) : word));
  return words.some(
    (word, i) => CREDENTIAL_WORDS.has(word) || classify(words.slice(0, i + 1).join(' ')) !== undefined,
  );
}

/** Classifies a name by the kind of its value. `extra` has the normalized names from the configuration. */
export function classifyName(name: string, extra: ReadonlySet<string>): NameKind | undefined {
  if (TRANSLATED_PASSWORD.test(name)) return 'password';
  const words = splitWords(name);
  if (extra.size > 0 && extra.has(words.join(''))) return 'password';
  while (words.length > 1 && (SUFFIXES.has(words.at(-1)!) || /^\d+$/.test(words.at(-1)!))) words.pop();
  const last = words.at(-1) ?? '';
  const kind = classifyWords(words, last);
  const isHarmless = (word: string): boolean =>
    HARMLESS_WORDS.has(word) || (kind === 'password' && ACTIONS.has(word));
  return kind !== undefined && words.some(isHarmless) ? undefined : kind;
}

function classifyWords(words: readonly string[], last: string): NameKind | undefined {
  if (PASSWORD.test(last) || words.join(' ').endsWith('identified by')) return 'password';
  if (last === 'pass' || last === 'pw') return words.length > 1 ? 'password' : 'secret';
  if (last === 'auth') return 'login';
  if (SECRET.test(last) || JOINED_KEY.test(last)) return 'secret';
  if (last === 'key')
    return KEYS.has(words.at(-2) ?? '') || NAMED_AFTER_USE.test(words.join(' ')) ? 'secret' : undefined;
  const name = words.join(' ');
  return KEY_LISTS.test(name) || NAMED_AFTER_USE.test(name) ? 'secret' : undefined;
}
