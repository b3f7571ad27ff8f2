import { isPlaceholder } from './placeholder.ts';
import { NOTHING, type Rule } from './rule.ts';

// Slashes may be escaped, as some writers of JSON do.
const OPENING = /:(?:\\?\/){2}/y;
const AUTHORITY = /([^\s/?#@:"'`<>\\,;(){}[\]|^]{0,256}):([^\s/?#"'`<>\\|^]{1,512})@(?=[\w[%.$-])/y;
// Some write `/`, `?` and `#` as they are; the port of a host without a password would be a number.
const CARELESS = /([^\s/?#@:"'`<>\\]{0,256}):(?!\d{1,5}(?:[/?#"'\s]|$))([^\s@"'`<>\\|^]{1,256})@(?=[\w.-]+(?::\d|\/|$))/y;

/** `scheme://user:password@host`: of it only the password goes. */
export const urlPassword: Rule = {
  name: 'url-password',
  opens: [':\\\\?/\\\\?/'],
  general: true,
  find({ text, at }) {
    OPENING.lastIndex = at;
    if (!OPENING.test(text)) return NOTHING;
    const from = OPENING.lastIndex;
    for (const form of [AUTHORITY, CARELESS]) {
      form.lastIndex = from;
      const match = form.exec(text);
      if (!match) continue;
      const end = form.lastIndex - 1;
      return isPlaceholder(match[2]!) ? NOTHING : [{ start: end - match[2]!.length, end, rule: this.name }];
    }
    return NOTHING;
  },
};
