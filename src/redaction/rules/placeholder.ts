import { stripMarkers } from '../rule.ts';

/** Masks and examples, also inside of tokens with a known form. */
const MASKS = [
  /^[\s*•·.xX_?#-]*$/,
  /\.\.\.|…|\*{3}|•{3}|x{6}|X{6}/,
  /^(?:your|insert|enter|replace|example|sample|dummy|fake)[-_. ]/i,
  // `Enter your password` in the forms of other languages.
  /^(?:请|請|введите|укажите|придумайте|повторите|підтвердіть|введіть|bitte |saisi(?:r|ssez) |entrez |introduzca |ingrese |digite |insira |inserisci )/i,
  /[-_ ]here$|placeholder|^example|example(?:key)?$|^\W*redacted\W*$/i,
];
const TEMPLATES = [
  // `<token>`, `[hidden]`, `(none)`, `{{ token }}`, `%PASSWORD%`, `%s`
  /^(?:<.*>|\[.*\]|\(.*\)|\{.*\}|%\w*%|(?:%[sdv]\W?)+)$/s,
  // `${TOKEN}`, `$(command)`, `$TOKEN`, `<%= token %>`, `{self.token}`, `{{ token }}` inside of other text
  /\$\{|\$\(|^\$(?:[A-Za-z_][\w:.]*|\d{1,2})$|\{\{|<%|^\{|\{[A-Za-z_][\w.]*\}/,
  // A variable name or a usage line: `YOUR_API_KEY`, `TOKEN`
  /^[A-Z][A-Z_]*$/,
  /^(?:the |your |user )?(?:user|db|my)?[-_ ]?(?:password|passwd|passphrase|pass|pwd|pw|secret|token|api[-_ ]?key|key|credentials?)$/i,
];
const MIN_DISTINCT_CHARACTERS = 6;
const INSPECTED_LENGTH = 96;

/** Whether a text stands for a secret: a template, a mask, a variable name, an example of the documentation. */
export function isPlaceholder(text: string): boolean {
  const head = stripMarkers(text.slice(0, INSPECTED_LENGTH));
  return MASKS.some((mask) => mask.test(head)) || TEMPLATES.some((template) => template.test(head));
}

/** Whether the body of a token can be random: a cheap test of its entropy, and no mask or example. */
export function isPlausibleSecret(body: string): boolean {
  const head = stripMarkers(body.slice(0, INSPECTED_LENGTH));
  return hasDistinctCharacters(head) && !MASKS.some((mask) => mask.test(head));
}

function hasDistinctCharacters(text: string): boolean {
  let seen = '';
  for (let at = 0; at < text.length && seen.length < MIN_DISTINCT_CHARACTERS; at++) {
    if (!seen.includes(text[at]!)) seen += text[at];
  }
  return seen.length >= MIN_DISTINCT_CHARACTERS;
}
