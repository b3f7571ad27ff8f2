import { NO_SPANS, type RedactionRule } from '../rule.ts';
import { NAMED_SECRET } from './named-secret/named-secret.ts';
import { isGenerated } from './named-secret/secret-value.ts';
import { isPlaceholder } from './placeholder.ts';

const STRING = `(?:"[^"\\n]{0,200}"|'[^'\\n]{0,200}')`;
const SECRET = `[bBrRuUfFN@]?(?:"(?<double>[^"\\n]{1,200})"|'(?<single>[^'\\n]{1,200})')`;
const ARGUMENT = `(?:${STRING}|[\\w.$>:-]{1,60})`;

function afterArguments(count: number): string {
  return `\\(\\s{0,16}${`${ARGUMENT}\\s{0,4},\\s{0,16}`.repeat(count)}${SECRET}`;
}

interface Call {
  /** A part of the name of the call that is rare in other text. */
  readonly keyword: string;
  /** The number of arguments before the password. */
  readonly before: number;
}

const CALLS: readonly Call[] = [
  { keyword: 'basicauth', before: 1 },
  { keyword: 'auth=', before: 1 },
  { keyword: 'auth =', before: 1 },
  { keyword: 'kcredential', before: 1 },
  { keyword: 'passwordcredentials', before: 1 },
  { keyword: 'passwordauthentication', before: 1 },
  { keyword: 'ogin', before: 1 },
  { keyword: 'nauth(', before: 2 },
  { keyword: 'ftp_login', before: 2 },
  { keyword: 'ldap_bind', before: 2 },
  { keyword: 'mysqli', before: 2 },
  { keyword: 'mysqli_connect', before: 2 },
  { keyword: 'mysql_connect', before: 2 },
  { keyword: 'pdo', before: 2 },
  { keyword: 'dbi->connect', before: 2 },
  { keyword: 'jwt.sign', before: 1 },
  { keyword: 'jwt.encode', before: 1 },
  { keyword: 'jwt.verify', before: 1 },
  { keyword: 'tehmac', before: 1 },
  { keyword: 'hmac.new', before: 0 },
];
const FORMS = CALLS.map(({ keyword, before }): readonly [string, RegExp] => [
  keyword,
  new RegExp(`${keyword.replace('(', '')}\\s{0,2}${afterArguments(before)}`, 'diy'),
]);
// PowerShell makes a secret of a text that stands in the command: `ConvertTo-SecureString "…"`.
const SECURE_STRING = new RegExp(`securestring(?: -String)? {1,4}${SECRET}`, 'diy');

/** Passwords among the arguments of a call: `HTTPBasicAuth("user", "…")`, `new mysqli("host", "user", "…")`. */
export const credentialCall: RedactionRule = {
  name: NAMED_SECRET,
  keywords: [
    'securestring',
    ...CALLS.map(({ keyword }) => (keyword === 'ogin' || keyword === 'pdo' ? `${keyword}(` : keyword)),
  ],
  isContextual: true,
  find({ text, at }) {
    const forms = [
      SECURE_STRING,
      ...FORMS.filter(([keyword]) => startsWith(text, at, keyword)).map(([, form]) => form),
    ];
    for (const form of forms) {
      form.lastIndex = at;
      const groups = form.exec(text)?.indices?.groups;
      const [start, end] = groups?.double ?? groups?.single ?? [0, 0];
      const secret = text.slice(start, end);
      if (secret !== '' && isGenerated(secret) && !isPlaceholder(secret))
        return [{ start, end, rule: NAMED_SECRET }];
    }
    return NO_SPANS;
  },
};

function startsWith(text: string, at: number, keyword: string): boolean {
  return text.slice(at, at + keyword.length).toLowerCase() === keyword;
}
