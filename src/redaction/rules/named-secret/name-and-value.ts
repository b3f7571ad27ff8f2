import { COMMON_FORMS, formsBefore, type Separator } from './separator.ts';
import { readOpeningQuote } from './value-end.ts';

const MAX_NAME_LENGTH = 64;
const REST = /identified by|[\w-]{0,64}/iy;
const WORD_BEFORE = /(?:^|[^\w.])([A-Za-z][A-Za-z0-9]{1,15}) $/;
// Characters that can follow a name which has a value.
const AFTER_NAME =
  /[=:"'`\\&%\s>：＝]|\](?=[ \t]{1,2}=>|[="'])|[[(.](?=\w{0,24}[\])]?=)|\((?=["']|[\w-]{16,64}\))|,(?=[ \t]?")|\.(?=\.\.)|<(?=\/)|\*(?=\*?:)/y;

/** A name and its range in a text. */
export interface NameMatch {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Reads the whole name around a keyword: `AWS_SECRET_ACCESS_KEY` around `SECRET`. Undefined where no value can follow. */
export function readName(text: string, at: number): NameMatch | undefined {
  REST.lastIndex = at;
  REST.test(text);
  const end = REST.lastIndex;
  AFTER_NAME.lastIndex = end;
  if (!AFTER_NAME.test(text)) return undefined;
  let start = at;
  while (start > 0 && at - start < MAX_NAME_LENGTH && isNameCharacter(text.charCodeAt(start - 1))) start--;
  // The letter of an escape such as `\n` is not part of the name.
  if (start < at && text[start - 1] === '\\' && /[nrt]/.test(text[start]!)) start++;
  return { name: text.slice(start, end), start, end };
}

/** Reads the name together with the word before it: `api key`. */
export function readPhrase(text: string, { name, start }: NameMatch): string | undefined {
  if (text[start - 1] !== ' ') return undefined;
  const before = WORD_BEFORE.exec(text.slice(Math.max(0, start - 20), start))?.[1];
  return before === undefined ? undefined : `${before} ${name}`;
}

/** A letter, a digit, `_`, `.`, `-`. */
function isNameCharacter(code: number): boolean {
  if (code >= 0x61) return code <= 0x7a;
  if (code >= 0x41) return code <= 0x5a || code === 0x5f;
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e;
}

export interface ValueMatch {
  readonly separator: Separator;
  readonly start: number;
  /** Whether the name is quoted, as in JSON. */
  readonly isQuotedName: boolean;
}

/** Finds the start of the value of a name, and the separator between them. */
export function findValueStart(text: string, { start, end }: NameMatch): ValueMatch | undefined {
  const isQuotedName = readOpeningQuote(text, end) !== undefined;
  for (const forms of [formsBefore(text[end] ?? ''), COMMON_FORMS]) {
    for (const [separator, form] of forms) {
      form.lastIndex = end;
      if (form.test(text)) return { separator, start: form.lastIndex, isQuotedName };
    }
  }
  return findAdjacentValue(text, start, end);
}

// The value of an element, also inside of `<Value>` or CDATA.
const ELEMENT = /(?:[ \t][^<>]{0,200})?>\s{0,40}(?:<[Vv]alue>)?(?=[^<>\s][^<>\n]{0,2048}<\/|<!\[CDATA\[)/y;
const ELEMENT_START = /<(?:[\w-]{1,32}:)?$/;
// `<property name="db.password">…</property>`
const NAME_ATTRIBUTE =
  /<(?:property|prop|entry|param|parameter|setting|string)\b[^<>]{0,48}(?:name|key)=["']$/;
const AFTER_ATTRIBUTE = /["'][ \t]{0,4}>\s{0,40}(?=[^<>\n]{1,2048}<\/|<!\[CDATA\[)/y;
const LINE_START = /(?:^|\n|\\n)[ \t]{0,8}$/;
const SINGLE_WORD = /^[^\s"'`]+(?:\r?\n|$)/;
const FLAG = /(?:^|[\s"'`[(])--?$/;
const SPACES = /["']?[ \t]{1,4}(?=[^\s-])/y;
const VALUE_COMMAND =
  /(?:^|\n|\\n)[ \t]{0,8}ENV $|login \S{1,64}\s$|(?:config(?:ure)?|secrets?|env) set $|setenv $|set -\w{1,3} $/;

function findAdjacentValue(text: string, start: number, end: number): ValueMatch | undefined {
  const before = text.slice(Math.max(0, start - 80), start);
  ELEMENT.lastIndex = end;
  if (ELEMENT_START.test(before) && ELEMENT.test(text))
    return { separator: 'pair', start: ELEMENT.lastIndex, isQuotedName: false };
  AFTER_ATTRIBUTE.lastIndex = end;
  if (NAME_ATTRIBUTE.test(before) && AFTER_ATTRIBUTE.test(text))
    return { separator: 'pair', start: AFTER_ATTRIBUTE.lastIndex, isQuotedName: false };
  SPACES.lastIndex = end;
  if (!SPACES.test(text)) return undefined;
  const value = SPACES.lastIndex;
  const isQuotedName = /["']/.test(text[end]!);
  if (!isQuotedName && LINE_START.test(before) && SINGLE_WORD.test(text.slice(value, value + 128))) {
    return { separator: 'sentence', start: value, isQuotedName: false };
  }
  const isFlag = /^--?[A-Za-z]/.test(text.slice(start, end)) && FLAG.test(`${before}--`);
  if (isFlag || VALUE_COMMAND.test(before))
    return { separator: 'adjacent', start: value, isQuotedName: false };
  return /["']/.test(text[value]!) ? { separator: 'quoted', start: value, isQuotedName: false } : undefined;
}
