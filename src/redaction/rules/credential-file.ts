import { NO_SPANS, type RedactionRule, type Span } from '../rule.ts';
import { COOKIE, isSessionCookie } from './cookie.ts';
import { NAMED_SECRET } from './named-secret/named-secret.ts';
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
    const start = at - before.length + Math.max(0, before.lastIndexOf('\n---') + 1);
    const after = text.slice(at, at + MAX_MANIFEST_LENGTH);
    const next = after.indexOf('\n---');
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

const CODES_START = /(?:ckup|covery) codes?(?: are| is)?["'*]{0,3}\s{0,4}[:=]["'*]{0,3}[\s[]{0,16}/iy;
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

/** Secrets at a known place of a line, in files and outputs of tools that name no value. */
export const CREDENTIAL_FILES: readonly RedactionRule[] = [
  cookieJar,
  passwordFile,
  oracleUrl,
  secretManifest,
  backupCodes,
];
