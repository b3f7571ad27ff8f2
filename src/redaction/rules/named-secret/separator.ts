/** Notations between a name and its value. */
export type Separator =
  /** `=` without a space: settings, queries, connection strings. */
  | 'assigned'
  | 'spaced'
  | 'colon'
  /** `"name": "X", "value": …`, `<name>…`, `[name] => …` */
  | 'pair'
  /** `--name …` */
  | 'adjacent'
  /** `name '…'` */
  | 'quoted'
  /** `define('name', '…')` */
  | 'argument'
  /** `setName('…')`, `["name", "…"]`, `name: Some("…")`: need not be a value of the name. */
  | 'call'
  /** `name: |`, and the value on the indented lines below it. */
  | 'block'
  /** `name is …` */
  | 'sentence';

const CLOSE = `(?:(?:\\\\{0,8}["'\`]|&quot;|&#3[49];|%2[27])\\]?)?`;
const TYPE = `(?::[ \\t]{0,4}&{0,1}(?:'\\w{1,10} )?[A-Za-z_][\\w.]{0,40}(?:\\[[\\w., ]{0,40}\\])?[ \\t]{1,4}(?==[^=~>]))?`;

type Form = readonly [Separator, RegExp];

/** Tried in this order, for any character after the name. */
export const COMMON_FORMS: readonly Form[] = [
  [
    'assigned',
    new RegExp(
      `(?:${CLOSE}|\\[\\w{0,24}\\]|\\(\\w{1,24}\\)|\\.(?:value|text|data|plain|raw|val)|\\])(?:=(?![=~>])|%3[Dd]|＝)(?![ \\t])`,
      'y',
    ),
  ],
  ['spaced', new RegExp(`${CLOSE}${TYPE}[ \\t]{0,16}(?::=|=>|=3D(?=[ \\t])|=(?![=~]))[ \\t]{0,16}`, 'y')],
  ['block', new RegExp(`${CLOSE}[ \\t]{0,4}:[ \\t]{1,4}[>|][+-]?\\d?[+-]?[ \\t]{0,4}\\r?\\n(?=[ \\t])`, 'y')],
  [
    'colon',
    new RegExp(
      `${CLOSE}[ \\t]{0,16}(?::(?![:=])|%3[Aa]|：)[ \\t]{0,32}(?:[>|][+-]?[ \\t]{1,4}|(?:&[\\w-]{1,64}|!!str)[ \\t]{1,4})?`,
      'y',
    ),
  ],
  [
    'pair',
    new RegExp(
      `${CLOSE}\\s{0,32},?\\s{0,32}${CLOSE}(?:[Pp]arameter)?[Vv]alue${CLOSE}[ \\t]{0,4}[:=][ \\t]{0,4}`,
      'y',
    ),
  ],
  ['argument', /["'](?<=\([ \t]{0,4}["'][\w.-]{1,64}["']),[ \t]{0,8}(?=["'])/y],
  ['sentence', /[ \t](?:is|was|set to|=>|->|→)(?::|[ \t]:)?[ \t]{1,4}/y],
];

// `<td>name</td><td>…`, `<key>name</key><string>…`
const MARKUP = /:?[ \t]{0,4}<\/[A-Za-z]\w{0,15}>\s{0,40}(?:<[A-Za-z][^<>]{0,120}>\s{0,16}){1,3}(?=[^<>\s])/y;
// `Content-Disposition: form-data; name="…"`, a blank line, the value.
const MULTIPART =
  /"(?<=[; ]name="[\w.[\]-]{1,64}")(?:;[^\r\n]{0,100})?(?:\r?\n[\w-]{1,40}:[^\r\n]{0,200}){0,3}\r?\n\r?\n(?=[^\s-])/y;
// `password for the database is …`, `password 7 …` of network devices, `password ..... …`
const REMARK =
  /[ \t](?:for|to|of|on)[ \t][^\n"'=:.;]{1,60}?(?:[ \t](?:is|was)|[ \t]?[:=])[ \t]{1,4}(?=[^\s"'`<({[\\])/y;
const ENCODING = /[ \t](?:[05789]|encrypted|--?plain-?text|password|ascii 0)[ \t]{1,4}(?=[^\s"'])/y;
const LEADER = /[ \t]{0,4}[.·]{3,60}[ \t]{0,4}(?=[^\s.])/y;
const NEXT_LINE =
  /["'*`]{0,3}[ \t]{0,4}[:：]["'*`]{0,3}[ \t]{0,4}\r?\n[ \t>]{0,16}(?!\w{1,16}:\/\/|\w{1,40}=[^=\s])(?=[^\s"'<>[({-]+[ \t]{0,4}(?:\r?\n|$))/y;

/** Notations that start with one of a few characters after the name, so that most names try none of them. */
const BY_NEXT: Readonly<Record<string, readonly Form[]>> = {
  ']': [['pair', /\][ \t]{1,2}=>[ \t]{1,2}/y]],
  '"': [
    ['pair', /"\]=>\s{1,16}(?:string|int)\(\d{1,6}\)[ \t](?=")/y],
    ['pair', /";s:\d{1,6}:(?=")/y],
    ['pair', MULTIPART],
    ['call', /"(?<=[[({,][ \t]{0,4}"[\w. -]{1,64}"),[ \t]{0,4}(?=")/y],
    ['sentence', NEXT_LINE],
  ],
  "'": [['call', /'(?<=[[{,][ \t]{0,4}'[\w. -]{1,64}'),[ \t]{0,4}(?=')/y]],
  '<': [['pair', MARKUP]],
  ':': [
    ['pair', MARKUP],
    // LDIF: two colons before base64.
    ['pair', /::[ \t]{1,4}(?=[A-Za-z0-9+/]{8,}={0,2}\r?(?:\n|$))/y],
    ['sentence', NEXT_LINE],
  ],
  '：': [['sentence', NEXT_LINE]],
  '*': [['sentence', NEXT_LINE]],
  '(': [['call', /\((?=["'])/y]],
  ',': [['call', /,(?<=\{[ \t]{0,2}\w{1,64},)[ \t]{0,4}(?=")/y]],
  '.': [['sentence', LEADER]],
  ' ': [
    ['colon', /[ \t]\d{1,3}(?:[ \t]\([^)\n]{1,40}\))?[ \t]{0,4}[:=][ \t]{1,4}(?=\S)/y],
    ['quoted', /[ \t]\.[ \t](?=")/y],
    ['sentence', LEADER],
    ['sentence', ENCODING],
    ['sentence', REMARK],
  ],
};

/** Forms for the character after a name that are tried before the common ones. */
export function formsBefore(next: string): readonly Form[] {
  return BY_NEXT[next] ?? NO_FORMS;
}

const NO_FORMS: readonly Form[] = [];
