import { MARKED } from './rule.ts';

const SHAPES = [
  /^[\s*•·.xX_?#-]*$/,
  /\.\.\.|…|\*{3}|•{3}|x{6}|X{6}/,
  // `<token>`, `[hidden]`, `(none)`, `{{ token }}`, `%PASSWORD%`, `%s`
  /^(?:<.*>|\[.*\]|\(.*\)|\{.*\}|%\w*%|(?:%[sdv]\W?)+)$/s,
  // `${TOKEN}`, `$(command)`, `$TOKEN`, `{{ token }}` somewhere, `<%= token %>`, `{self.token}`
  /\$\{|\$\(|^\$[A-Za-z_][\w:.]*$|\{\{|<%|^\{|\{[A-Za-z_][\w.]*\}/,
  // The name of a variable or a blank of a usage line: `YOUR_API_KEY`, `TOKEN`
  /^[A-Z][A-Z_]*$/,
  /^(?:your|insert|enter|replace|example|sample|dummy|fake)[-_. ]/i,
  /[-_ ]here$|placeholder|example|redacted/i,
  /^(?:the |your |user )?(?:user|db|my)?[-_ ]?(?:password|passwd|passphrase|pass|pwd|pw|secret|token|api[-_ ]?key|key|credentials?)$/i,
];
const FEWEST_CHARACTERS = 6;
const READ = 256;

/** Text that stands where a secret would: a blank, a mask, a variable, an example of the documentation. */
export function isPlaceholder(text: string): boolean {
  const head = text.slice(0, READ);
  return head.includes(MARKED) || SHAPES.some((shape) => shape.test(head));
}

/** Whether the body of a token could have been drawn by chance. */
export function isDrawn(body: string): boolean {
  return new Set(body.slice(0, READ)).size >= FEWEST_CHARACTERS && !isPlaceholder(body);
}
