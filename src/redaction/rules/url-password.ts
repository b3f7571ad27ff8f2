import { NOTHING, type RedactionRule } from '../rule.ts';
import { isPlaceholder } from './placeholder.ts';

// Slashes may be escaped, as some writers of JSON do. Most addresses have no second colon, and end here.
const USER = /:(?:\\?\/){2}[^\s/?#@:"'`<>\\]{0,256}:/y;
const PASSWORD = /([^\s/?#"'`<>\\|^]{1,512})@(?=[\w[%.$-])/y;
// Some write `/`, `?` and `#` as they are; the port of a host without a password would be a number.
const CARELESS = /(?!\d{1,5}(?:[/?#"'\s]|$))([^\s@"'`<>\\|^]{1,256})@(?=[\w.-]+(?::\d|\/|$))/y;

/** `scheme://user:password@host`: of it only the password goes. */
export const urlPassword: RedactionRule = {
  name: 'url-password',
  opens: ['://', ':\\/\\/'],
  general: true,
  find({ text, at }) {
    USER.lastIndex = at;
    if (!USER.test(text)) return NOTHING;
    const start = USER.lastIndex;
    const password = passwordAt(text, start, PASSWORD) ?? passwordAt(text, start, CARELESS);
    if (password === undefined || isPlaceholder(password)) return NOTHING;
    return [{ start, end: start + password.length, rule: this.name }];
  },
};

function passwordAt(text: string, at: number, form: RegExp): string | undefined {
  form.lastIndex = at;
  return form.exec(text)?.[1];
}
