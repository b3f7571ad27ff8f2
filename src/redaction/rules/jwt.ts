import { isJsonObject } from '../../base/json/json.ts';
import { NO_SPANS, type RedactionRule } from '../rule.ts';
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
