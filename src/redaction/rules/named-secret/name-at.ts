import { openingAt } from './value-end.ts';

const LONGEST_NAME = 64;
const REST = /identified by|[\w-]{0,64}/iy;
const WORD_BEFORE = /(?:^|[^\w.-])([A-Za-z]{2,16}) $/;
// What may stand behind a name that is given a value.
const GIVEN = /[=:"'`\\&%\s>]/;

/** A name in a text, and how far it goes. */
export interface NameFound {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The whole name of which a word stands at a place: `AWS_SECRET_ACCESS_KEY` around `SECRET`. Undefined where it is only
 * mentioned.
 */
export function nameAt(text: string, at: number): NameFound | undefined {
  REST.lastIndex = at;
  REST.test(text);
  const end = REST.lastIndex;
  if (!GIVEN.test(text[end] ?? '')) return undefined;
  let start = at;
  while (start > 0 && at - start < LONGEST_NAME && isOfName(text.charCodeAt(start - 1))) start--;
  // The letter of `\n` belongs to no name.
  if (start < at && text[start - 1] === '\\' && /[nrt]/.test(text[start]!)) start++;
  return { name: text.slice(start, end), start, end };
}

/** The name with the word before it: `api key`. */
export function phraseAt(text: string, { name, start }: NameFound): string | undefined {
  if (text[start - 1] !== ' ') return undefined;
  const before = WORD_BEFORE.exec(text.slice(Math.max(0, start - 20), start))?.[1];
  return before === undefined ? undefined : `${before} ${name}`;
}

/** A letter, a digit, `_`, `.`, `-`. */
function isOfName(code: number): boolean {
  if (code >= 0x61) return code <= 0x7a;
  if (code >= 0x41) return code <= 0x5a || code === 0x5f;
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e;
}

export type Separator =
  /** `=`, without a space: settings, queries, connection strings. */
  | 'assigned'
  | 'spaced'
  | 'colon'
  /** `"name": "X", "value": …`, `<name>…` */
  | 'pair'
  /** `--name …` */
  | 'beside'
  /** `name '…'` */
  | 'quoted'
  /** `define('name', '…')` */
  | 'argument'
  | 'told';

export interface ValueFound {
  readonly separator: Separator;
  readonly start: number;
  /** The name stood between quotes, as in JSON. */
  readonly isQuotedName: boolean;
}

const CLOSE = `(?:(?:\\\\{0,8}["'\`]|&quot;|&#3[49];|%2[27])\\]?)?`;
const TYPE = `(?::[ \\t]{0,4}[A-Za-z_][\\w.]{0,40}(?:\\[[\\w., ]{0,40}\\])?[ \\t]{1,4}(?==[^=~>]))?`;
const FORMS: readonly (readonly [Separator, RegExp])[] = [
  ['assigned', new RegExp(`${CLOSE}(?:=(?![=~>])|%3[Dd])(?![ \\t])`, 'y')],
  ['spaced', new RegExp(`${CLOSE}${TYPE}[ \\t]{0,16}(?::=|=>|=(?![=~]))[ \\t]{0,16}`, 'y')],
  ['colon', new RegExp(`${CLOSE}[ \\t]{0,16}(?::(?![:=])|%3[Aa])[ \\t]{0,32}`, 'y')],
  ['pair', new RegExp(`${CLOSE}\\s{0,32},?\\s{0,32}${CLOSE}[Vv]alue${CLOSE}[ \\t]{0,4}[:=][ \\t]{0,4}`, 'y')],
  ['argument', /["'](?<=\([ \t]{0,4}["'][\w.-]{1,64}["']),[ \t]{0,4}(?=["'])/y],
  ['told', /[ \t](?:is|was|set to|=>|->|→)(?::|[ \t]:)?[ \t]{1,4}/y],
];

/** Where the value of a name starts, and what parts the two. */
export function valueAfter(text: string, { start, end }: NameFound): ValueFound | undefined {
  const isQuotedName = openingAt(text, end) !== undefined;
  for (const [separator, form] of FORMS) {
    form.lastIndex = end;
    if (form.test(text)) return { separator, start: form.lastIndex, isQuotedName };
  }
  return besideName(text, start, end);
}

const ELEMENT = />(?=[^<>\n]{1,2048}<\/)/y;
// `<property name="db.password">…</property>`
const NAMING = /<(?:property|prop|entry|param|parameter|setting|string)\b[^<>]{0,48}(?:name|key)=["']$/;
const ATTRIBUTE = /["'][ \t]{0,4}>(?=[^<>\n]{1,2048}<\/)/y;
const LINE_START = /(?:^|\n|\\n)[ \t]{0,8}$/;
const WORD_ALONE = /^[^\s"'`]+(?:\r?\n|$)/;
const FLAG = /(?:^|[\s"'`[(])--?$/;
const SPACES = /["']?[ \t]{1,4}(?=[^\s-])/y;
const BEFORE_VALUE = /(?:^|\n|\\n)[ \t]{0,8}ENV $|login \S{1,64}\s$/;

function besideName(text: string, start: number, end: number): ValueFound | undefined {
  const before = text.slice(Math.max(0, start - 80), start);
  ELEMENT.lastIndex = end;
  if (before.endsWith('<') && ELEMENT.test(text))
    return { separator: 'pair', start: end + 1, isQuotedName: false };
  ATTRIBUTE.lastIndex = end;
  if (NAMING.test(before) && ATTRIBUTE.test(text))
    return { separator: 'pair', start: ATTRIBUTE.lastIndex, isQuotedName: false };
  SPACES.lastIndex = end;
  if (!SPACES.test(text)) return undefined;
  const value = SPACES.lastIndex;
  const isQuotedName = /["']/.test(text[end]!);
  if (!isQuotedName && LINE_START.test(before) && WORD_ALONE.test(text.slice(value, value + 128))) {
    return { separator: 'told', start: value, isQuotedName: false };
  }
  const isFlag = /^--?[A-Za-z]/.test(text.slice(start, end)) && FLAG.test(`${before}--`);
  if (isFlag || BEFORE_VALUE.test(before)) return { separator: 'beside', start: value, isQuotedName: false };
  return /["']/.test(text[value]!) ? { separator: 'quoted', start: value, isQuotedName: false } : undefined;
}
