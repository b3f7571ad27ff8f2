import { NO_SPANS, type RedactionRule } from '../rule.ts';
import { isPlaceholder } from './placeholder.ts';

// Some JSON writers escape slashes. Most URLs have no second colon and are rejected here.
const USER = /:(?:\\?\/){2}[^\s/?#@:"'`<>\\]{0,256}:/y;
const PASSWORD = /([^\s/?#"'`<>\\|^]{1,512})@(?=[\w[%.$-])/y;
// Some URLs do not escape `/`, `?` and `#` in a password. A number after the colon is a port, not a password.
const UNESCAPED_PASSWORD = /(?!\d{1,5}(?:[/?#"'\s]|$))([^\s@"'`<>\\|^]{1,256})@(?=[\w.-]+(?::\d|\/|$))/y;

/** `scheme://user:password@host`: only the password is redacted. */
export const urlPassword: RedactionRule = {
  name: 'url-password',
  keywords: ['://', ':\\/\\/'],
  isContextual: true,
  find({ text, at }) {
    USER.lastIndex = at;
    if (!USER.test(text)) return NO_SPANS;
    const start = USER.lastIndex;
    const password = matchPassword(text, start, PASSWORD) ?? matchPassword(text, start, UNESCAPED_PASSWORD);
    if (password === undefined || isPlaceholder(password)) return NO_SPANS;
    return [{ start, end: start + password.length, rule: this.name }];
  },
};

function matchPassword(text: string, at: number, form: RegExp): string | undefined {
  form.lastIndex = at;
  return form.exec(text)?.[1];
}
