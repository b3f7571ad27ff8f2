import { NO_SPANS, type RedactionRule } from '../rule.ts';

const ANNOUNCED = /(?:seed|recovery|secret|backup|wallet|bip-?39)[ _-]?$/i;
const SEPARATOR =
  '(?:(?: is| are)?(?:\\\\{0,8}["\'`])?\\s{0,8}[:=：]\\s{0,32}| is\\s{1,8})(?:\\\\{0,8}["\'`[]\\s{0,4}){0,2}';
const WORD = '(?:\\d{1,2}[.)] ?)?[a-z]{3,8}';
const FORM = new RegExp(
  `(?:mnemonic|phrase)${SEPARATOR}(?<phrase>${WORD}(?:(?:\\s{1,4}|\\\\n|, ?|["'], ?["'])${WORD}){11,23})(?![a-z])`,
  'diy',
);

/** BIP 39: 12 to 24 words from which the keys of a wallet are derived, after a name that announces them. */
export const seedPhrase: RedactionRule = {
  name: 'seed-phrase',
  keywords: ['mnemonic', 'phrase'],
  isContextual: true,
  find({ text, at }) {
    if (!/m/i.test(text[at]!) && !ANNOUNCED.test(text.slice(Math.max(0, at - 12), at))) return NO_SPANS;
    FORM.lastIndex = at;
    const [start, end] = FORM.exec(text)?.indices?.groups?.phrase ?? [0, 0];
    const isLowerCase = !/[A-Z]/.test(text.slice(start, end));
    return end > start && isLowerCase ? [{ start, end, rule: this.name }] : NO_SPANS;
  },
};
