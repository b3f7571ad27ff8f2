import { withoutMarkers } from '../rule.ts';

/** Masks and examples, in tokens of any form. */
const MASKS = [
  /^[\s*•·.xX_?#-]*$/,
  /\.\.\.|…|\*{3}|•{3}|x{6}|X{6}/,
  /^(?:your|insert|enter|replace|example|sample|dummy|fake)[-_. ]/i,
  /[-_ ]here$|placeholder|^example|example(?:key)?$|^\W*redacted\W*$/i,
];
const BLANKS = [
  // `<token>`, `[hidden]`, `(none)`, `{{ token }}`, `%PASSWORD%`, `%s`
  /^(?:<.*>|\[.*\]|\(.*\)|\{.*\}|%\w*%|(?:%[sdv]\W?)+)$/s,
  // `${TOKEN}`, `$(command)`, `$TOKEN`, `{{ token }}` somewhere, `<%= token %>`, `{self.token}`
  /\$\{|\$\(|^\$(?:[A-Za-z_][\w:.]*|\d{1,2})$|\{\{|<%|^\{|\{[A-Za-z_][\w.]*\}/,
  // The name of a variable, or a blank of a usage line: `YOUR_API_KEY`, `TOKEN`
  /^[A-Z][A-Z_]*$/,
  /^(?:the |your |user )?(?:user|db|my)?[-_ ]?(?:password|passwd|passphrase|pass|pwd|pw|secret|token|api[-_ ]?key|key|credentials?)$/i,
];
const FEWEST_CHARACTERS = 6;
const READ = 96;

/** Text that stands where a secret would: a blank, a mask, a variable, an example of the documentation. */
export function isPlaceholder(text: string): boolean {
  const head = withoutMarkers(text.slice(0, READ));
  return MASKS.some((mask) => mask.test(head)) || BLANKS.some((blank) => blank.test(head));
}

/** Whether the body of a token could have been drawn by chance. */
export function isDrawn(body: string): boolean {
  const head = withoutMarkers(body.slice(0, READ));
  return hasVariety(head) && !MASKS.some((mask) => mask.test(head));
}

function hasVariety(text: string): boolean {
  let seen = '';
  for (let at = 0; at < text.length && seen.length < FEWEST_CHARACTERS; at++) {
    if (!seen.includes(text[at]!)) seen += text[at];
  }
  return seen.length >= FEWEST_CHARACTERS;
}
