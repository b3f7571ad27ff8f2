import { NO_SPANS, type RedactionRule } from '../rule.ts';
import { NAMED_SECRET } from './named-secret/named-secret.ts';
import { isSecretValue } from './named-secret/secret-value.ts';
import { findBareEnd, findQuotedEnd, readOpeningQuote } from './named-secret/value-end.ts';

interface TranslatedName {
  /** The last part of the name, chosen to be rare in other text. */
  readonly end: string;
  readonly before?: RegExp;
}

/** `password` in other languages, and in the full-width letters of East Asian input methods. */
const NAMES: readonly TranslatedName[] = [
  { end: 'passwort' },
  { end: 'nnwort', before: /ke$/i },
  { end: 'zugangscode' },
  { end: 'passe', before: /(?:mot de |palavra-)$/i },
  { end: 'eña', before: /contras$/i },
  { end: 'enha', before: /(?:^|[^\p{L}])s$/iu },
  { end: 'lave', before: /(?:^|[^\p{L}])c$/iu },
  { end: 'wachtwoord' },
  { end: 'lösenord' },
  { end: 'adgangskode' },
  { end: 'alasana', before: /(?:^|[^\p{L}])s$/iu },
  { end: 'sło', before: /ha$/i },
  { end: 'jelszó' },
  { end: 'пароль' },
  { end: 'Пароль' },
  { end: 'κωδικός' },
  { end: '密码' },
  { end: '密碼' },
  { end: '口令' },
  { end: 'パスワード' },
  { end: '비밀번호' },
  { end: 'סיסמה' },
  { end: 'مرور', before: /كلمة ال$/ },
  { end: 'पासवर्ड' },
  { end: 'ｐａｓｓｗｏｒｄ' },
  { end: 'ＰＡＳＳＷＯＲＤ' },
  { end: 'Ｐａｓｓｗｏｒｄ' },
];
const AFTER_SHORT_NAME = [...':：=＝是为為'];
const VERB = '(?:ist|lautet|est|es|é|è|is|jest|je|är|er|on|это|是|为|為|は|는|은)';
// `del servidor es`, `do painel ficou`, `pour le NAS :`
const REMARK = `\\s(?:del?|do|da|des|du|para|pour|für|von|per|van|voor|dla|til|för)\\s[^\\n:=.;"'«]{1,60}?(?:\\s(?:${VERB}|ficou|era|wurde)\\s?[:：]?|\\s?[:：])\\s`;
const SEPARATOR = new RegExp(
  `(?:(?<remark>${REMARK})|["'\`]?\\s?(?:${VERB}\\s?[:：]?|[:：=＝]| [-–—] ))\\s{0,4}(?:[「『“„]|«\\s?)?`,
  'iuy',
);
const WORD = /^[\p{L}\p{M}]+[.…，]?$/u;
const MAX_NAME_LENGTH = 16;
const MAX_VALUE_LENGTH = 128;

/** `Das Passwort lautet …`, `contraseña: …`, `密码：…` */
export const translatedPassword: RedactionRule = {
  name: NAMED_SECRET,
  keywords: NAMES.flatMap(({ end }) =>
    end.length >= 3 ? [end] : AFTER_SHORT_NAME.map((after) => end + after),
  ),
  isContextual: true,
  find({ text, at }) {
    const head = text.slice(at, at + MAX_NAME_LENGTH).toLowerCase();
    const before = text.slice(Math.max(0, at - MAX_NAME_LENGTH), at);
    const name = NAMES.find(
      (one) => head.startsWith(one.end.toLowerCase()) && one.before?.test(before) !== false,
    )?.end;
    if (name === undefined) return NO_SPANS;
    SEPARATOR.lastIndex = at + name.length;
    const separator = SEPARATOR.exec(text);
    if (!separator) return NO_SPANS;
    const isSentence = separator.groups?.remark !== undefined || !/[:：=＝]/.test(separator[0]);
    const opening = readOpeningQuote(text, SEPARATOR.lastIndex);
    const start = opening?.start ?? SEPARATOR.lastIndex;
    const end = opening
      ? findQuotedEnd(text, opening)
      : findBareEnd(text, start, { reach: 'word', limit: MAX_VALUE_LENGTH });
    const value = text.slice(start, end).replace(/[」』”“»。．、]+$/, '');
    const context = opening ? 'quoted' : isSentence ? 'sentence' : 'loose';
    if (context === 'loose' && WORD.test(value)) return NO_SPANS;
    if (value === '' || !isSecretValue(value, { kind: 'password', context })) return NO_SPANS;
    return [{ start, end: start + value.length, rule: NAMED_SECRET }];
  },
};
