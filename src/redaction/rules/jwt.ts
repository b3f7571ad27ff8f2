import { isJsonObject } from '../../base/json/json.ts';
import { NO_SPANS, type RedactionRule } from '../rule.ts';
import { NAMED_SECRET } from './named-secret/named-secret.ts';
import { isWordStart } from './named-secret/word-start.ts';

const MAX_HEADER_LENGTH = 4_096;
// Three parts when signed (RFC 7515), five when encrypted (RFC 7516); the last may be empty.
const PARTS = /(eyJ[\w-]{10,4093})\.[\w-]*\.[\w-]*(?:\.[\w-]+\.[\w-]+)?/y;

export const jwt: RedactionRule = {
  name: 'jwt',
  keywords: ['eyj'],
  find({ text, at, minStart }) {
    if (at !== minStart && !isWordStart(text, at, true)) return NO_SPANS;
    PARTS.lastIndex = at;
    const match = PARTS.exec(text);
    if (!match || match[0].length < 32 || !isHeader(match[1]!)) return NO_SPANS;
    return [{ start: at, end: at + match[0].length, rule: this.name }];
  },
};

function isHeader(part: string): boolean {
  if (part.length > MAX_HEADER_LENGTH) return false;
  try {
    const header: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isJsonObject(header) && typeof header.alg === 'string';
  } catch {
    return false;
  }
}

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
