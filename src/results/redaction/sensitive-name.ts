/** A password may be any text; a secret was drawn by a machine, and a plain word is none. */
export type NameKind = 'password' | 'secret';

const PASSWORD = /(?:password|passwd|passwort|passphrase|pwd)$/;
const SECRET = /(?:secret|token|credentials|api_?key|sess(?:ion)?id)$/;
const KEYS = new Set(
  (
    'api access secret private encryption encrypt decryption signing sign signature account master auth ' +
    'authentication authorization subscription shared storage service session webhook hmac jwt cipher aes consumer ' +
    'app application client admin root bot deploy license function host management write integration'
  ).split(' '),
);
const GLUED_KEY = new RegExp(`(?:${[...KEYS].join('|')})key$`);
// `API_KEY_2`, `password_prod`, `secret_key_base`
const SUFFIXES = new Set(
  'prod production staging stage dev development test live old new value base base64 b64 plain text str string raw'.split(
    ' ',
  ),
);
/** What makes it another thing: the next page, a symbol of a tokenizer, a question or an action instead of a value. */
const OTHER_THINGS = new Set(
  (
    'page next prev previous continuation continue pagination sync cursor resume start scroll delta cancel ' +
    'cancellation pad eos bos unk mask sep cls special image stop max min num public publishable has is needs ' +
    'requires require required use uses allow enable show hide forgot reset change no without validate check verify'
  ).split(' '),
);

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

/** Whether a name says that its value is secret. `extra` holds plain names that an operator added. */
export function kindOfName(name: string, extra: ReadonlySet<string>): NameKind | undefined {
  const words = wordsOf(name);
  if (extra.size > 0 && extra.has(words.join(''))) return 'password';
  while (words.length > 1 && (SUFFIXES.has(words.at(-1)!) || /^\d+$/.test(words.at(-1)!))) words.pop();
  const last = words.at(-1) ?? '';
  const kind = kindOfWords(words, last);
  return kind !== undefined && words.some((word) => OTHER_THINGS.has(word)) ? undefined : kind;
}

function kindOfWords(words: readonly string[], last: string): NameKind | undefined {
  if (PASSWORD.test(last) || words.join(' ').endsWith('identified by')) return 'password';
  if (last === 'pass') return words.length > 1 ? 'password' : 'secret';
  if (SECRET.test(last) || GLUED_KEY.test(last)) return 'secret';
  return last === 'key' && KEYS.has(words.at(-2) ?? '') ? 'secret' : undefined;
}
