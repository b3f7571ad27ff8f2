import { NO_SPANS, type RedactionRule, type Span } from '../rule.ts';
import { COOKIE, isSessionCookie } from './cookie.ts';
import { NAMED_SECRET } from './named-secret/named-secret.ts';
import { isSecretValue } from './named-secret/secret-value.ts';
import { isPlaceholder } from './placeholder.ts';

const COOKIE_LINE = /\t(?:TRUE|FALSE)\t\d{1,13}\t(?<name>[^\t\r\n]{1,80})\t(?<value>[^\t\r\n]{1,4096})/dy;

/** Cookie jars in the format of Netscape, as curl and browsers write them. */
const cookieJar: RedactionRule = {
  name: COOKIE,
  keywords: ['\ttrue\t', '\tfalse\t'],
  isContextual: true,
  find({ text, at }) {
    COOKIE_LINE.lastIndex = at;
    const match = COOKIE_LINE.exec(text);
    const { name, value } = match?.groups ?? {};
    if (!match || !isSessionCookie(name!, value!)) return NO_SPANS;
    const [start, end] = match.indices!.groups!.value!;
    return [{ start, end, rule: COOKIE }];
  },
};

const LINE_HEAD = /(?:^|\n)[^\s:#]{1,253}$/;
const PASSWORD_LINE = /:(?:\d{2,5}|\*):[^:\n]{1,64}:[^:\n]{1,64}:(?<secret>[^\n:]{4,128}?)(?=\r?\n|$)/dy;

/** The password file of PostgreSQL: `host:port:database:user:password`. */
const passwordFile: RedactionRule = {
  name: NAMED_SECRET,
  keywords: [':5432:', ':5433:', ':5434:', ':6432:', ':5439:', ':26257:', ':*:*:'],
  isContextual: true,
  find({ text, at }) {
    PASSWORD_LINE.lastIndex = at;
    const [start, end] = PASSWORD_LINE.exec(text)?.indices?.groups?.secret ?? [0, 0];
    if (end === 0 || !LINE_HEAD.test(text.slice(Math.max(0, at - 255), at))) return NO_SPANS;
    return isPlaceholder(text.slice(start, end)) ? NO_SPANS : [{ start, end, rule: NAMED_SECRET }];
  },
};

const ORACLE_URL = /:thin:[\w.$]{1,64}\/([^\s"'@/]{1,64})$/;
const MAX_LOGIN_LENGTH = 136;

/** `jdbc:oracle:thin:user/password@//host` */
const oracleUrl: RedactionRule = {
  name: 'url-password',
  keywords: ['@//'],
  isContextual: true,
  find({ text, at, minStart }) {
    const password = ORACLE_URL.exec(text.slice(Math.max(minStart, at - MAX_LOGIN_LENGTH), at))?.[1];
    if (password === undefined || isPlaceholder(password)) return NO_SPANS;
    return [{ start: at - password.length, end: at, rule: this.name }];
  },
};

const MAX_MANIFEST_LENGTH = 8_192;
/** Another document, or the kind of another object where texts are joined without the line between documents. */
const MANIFEST_END = /\n(?:---|kind:)/;
const MANIFEST_DATA = /(?:^|\n)(?:stringData|data):[ \t]*\r?\n((?:[ \t]+[^\n]*(?:\n|$)){1,64})/g;
const MANIFEST_VALUE = /^[ \t]+["']?[\w.-]{1,128}["']?:[ \t]+["']?([^\s"'|>][^\s"']{3,4096})["']?[ \t]*$/gm;

/** A Secret of Kubernetes in YAML: every value of its data, in the same document as its kind. */
const secretManifest: RedactionRule = {
  name: NAMED_SECRET,
  keywords: ['nd: secret'],
  isContextual: true,
  find({ text, at, minStart }) {
    if (!/(?:^|\n)ki$/.test(text.slice(Math.max(0, at - 3), at))) return NO_SPANS;
    const before = text.slice(Math.max(minStart, at - MAX_MANIFEST_LENGTH), at);
    const ends = ['\n---', '\nkind:', '\n\n'].map((end) => before.lastIndexOf(end));
    const start = at - before.length + Math.max(0, ...ends);
    const after = text.slice(at, at + MAX_MANIFEST_LENGTH);
    const next = after.search(MANIFEST_END);
    const document = text.slice(start, at + (next === -1 ? after.length : next));
    return Array.from(document.matchAll(MANIFEST_DATA)).flatMap(({ 0: block, 1: lines, index }) => {
      const linesAt = start + index + block.length - lines!.length;
      return Array.from(lines!.matchAll(MANIFEST_VALUE), ({ 0: line, 1: value, index: lineAt }): Span => {
        const valueAt = linesAt + lineAt + line.lastIndexOf(value!);
        return { start: valueAt, end: valueAt + value!.length, rule: NAMED_SECRET };
      }).filter((span) => !isPlaceholder(text.slice(span.start, span.end)));
    });
  },
};

const CODES_START =
  /(?:ckup|covery) codes?(?: are| is|(?=[^\n:.]{0,60}(?:safe|secur|offline|below|follow))[^\n:.]{1,80}(?=:\s))?["'*]{0,3}\s{0,4}[:=]["'*]{0,3}[\s[]{0,16}/iy;
const CODE =
  /(?:["'*•-]|\d{1,2}[.)])?[ \t"']{0,4}(?<code>(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9]{4,10}(?:[- ][A-Za-z0-9]{4,10}){0,3})["']?[,;]?\s{0,16}/dy;
const MAX_CODES = 32;

/** Codes that replace a second factor, in a list after its name. */
const backupCodes: RedactionRule = {
  name: NAMED_SECRET,
  // Parts of `backup` and `recovery` that are rare in other words.
  keywords: ['ckup code', 'covery code'],
  isContextual: true,
  find({ text, at }) {
    CODES_START.lastIndex = at;
    if (!CODES_START.test(text)) return NO_SPANS;
    const spans: Span[] = [];
    CODE.lastIndex = CODES_START.lastIndex;
    for (let match = CODE.exec(text); match && spans.length < MAX_CODES; match = CODE.exec(text)) {
      const [start, end] = match.indices!.groups!.code!;
      spans.push({ start, end, rule: NAMED_SECRET });
    }
    return spans;
  },
};

const SALT = /_(?:KEY|SALT)(["']),[ \t]{0,32}(["'])(?<secret>[^\n'"]{60,70})\2[ \t]{0,4}\)/dy;
const SALT_START = /define\([ \t]{0,4}["'](?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)$/;

/** The keys and salts of WordPress: 64 characters of any kind, so that some of them look like templates. */
const wordpressSalt: RedactionRule = {
  name: NAMED_SECRET,
  keywords: ["_key'", '_key"', "_salt'", '_salt"'],
  isContextual: true,
  find({ text, at }) {
    SALT.lastIndex = at;
    const [start, end] = SALT.exec(text)?.indices?.groups?.secret ?? [0, 0];
    if (end === 0 || !SALT_START.test(text.slice(Math.max(0, at - 32), at))) return NO_SPANS;
    return /\d/.test(text.slice(start, end)) ? [{ start, end, rule: NAMED_SECRET }] : NO_SPANS;
  },
};

const RELAY = /:(?:25|465|587|2525)[ \t]{1,16}(?<user>[^\s:/]{1,128}):(?<secret>[^\s"']{4,128})(?=\s|$)/dy;
const RELAY_HOST = /(?:^|\n)[ \t]{0,4}\[?[\w.-]{1,128}\]?$/;

/** Postfix: a relay host with its port, then `user:password`. */
const relayPassword: RedactionRule = {
  name: NAMED_SECRET,
  // JSON escapes a tab.
  keywords: ['25', '465', '587', '2525'].flatMap((port) => [...' \t\\'].map((after) => `:${port}${after}`)),
  isContextual: true,
  find({ text, at }) {
    RELAY.lastIndex = at;
    const match = RELAY.exec(text);
    const isMap = text[at - 1] === ']' || match?.groups?.user?.includes('@');
    if (!match || !isMap || !RELAY_HOST.test(text.slice(Math.max(0, at - 136), at))) return NO_SPANS;
    const [start, end] = match.indices!.groups!.secret!;
    const isSecret = isSecretValue(text.slice(start, end), { kind: 'password', context: 'loose' });
    return isSecret ? [{ start, end, rule: NAMED_SECRET }] : NO_SPANS;
  },
};

const ACCOUNTS =
  /accounts["']?[ \t]{0,4}[:=][ \t]{0,4}\[\s{0,16}\\{0,8}["'](?<secret>0x[0-9a-f]{64})\\{0,8}["']/diy;
/** Members beside the accounts in the configuration of a network. Lists of other chains have addresses of that length. */
const NETWORK = /\b(?:url|chainId|gasPrice|networks)["']?[ \t]{0,4}:/;
const DUMPED =
  /privkey[ \t"'][^\n]{1,120}?\s[\s"']{0,8}(?<secret>[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51})(?![A-Za-z0-9])/dy;

/** Private keys of wallets in the configuration of a network and in the output of `dumpprivkey`. */
const walletKey: RedactionRule = {
  name: NAMED_SECRET,
  keywords: ['accounts', 'privkey'],
  isContextual: true,
  find({ text, at }) {
    const form = /p/i.test(text[at]!) ? DUMPED : ACCOUNTS;
    form.lastIndex = at;
    const [start, end] = form.exec(text)?.indices?.groups?.secret ?? [0, 0];
    if (end === 0 || (form === ACCOUNTS && !NETWORK.test(text.slice(Math.max(0, at - 240), end + 120))))
      return NO_SPANS;
    return [{ start, end, rule: this.name }];
  },
};

/** Secrets at a known place of a line, in files and outputs of tools that name no value. */
export const CREDENTIAL_FILES: readonly RedactionRule[] = [
  cookieJar,
  passwordFile,
  oracleUrl,
  secretManifest,
  backupCodes,
  wordpressSalt,
  relayPassword,
  walletKey,
];
