import type { RedactionRule } from '../rule.ts';
import { NAMED_SECRET } from './named-secret/named-secret.ts';

const MAX_OBJECT_LENGTH = 2_048;
const SECRET_MEMBERS = /(\\{0,8}")(?:d|k|p|q|dp|dq|qi)\1\s{0,8}:\s{0,8}\1([\w-]{20,1024})\1/g;

/** The private members of a JSON Web Key (RFC 7518, section 6): those of the object around `kty`. */
export const jsonWebKey: RedactionRule = {
  name: NAMED_SECRET,
  keywords: ['"kty'],
  isContextual: true,
  find({ text, at, minStart }) {
    const from = Math.max(
      minStart,
      text.slice(Math.max(0, at - MAX_OBJECT_LENGTH), at).lastIndexOf('{') +
        Math.max(0, at - MAX_OBJECT_LENGTH),
    );
    const close = text.slice(at, at + MAX_OBJECT_LENGTH).indexOf('}');
    const object = text.slice(from, close === -1 ? at + MAX_OBJECT_LENGTH : at + close);
    return Array.from(object.matchAll(SECRET_MEMBERS), ({ 0: all, 1: quote, 2: value, index }) => {
      const start = from + index + all.length - quote!.length - value!.length;
      return { start, end: start + value!.length, rule: NAMED_SECRET };
    });
  },
};
