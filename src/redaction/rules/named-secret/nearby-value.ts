import type { TextRange } from '../../../base/text/range.ts';
import { isPlaceholder } from '../placeholder.ts';

const MAX_DISTANCE = 48;
const MAX_LENGTH = 160;
const TOKEN = /[^\s"'`,;()<>{}[\]|=:\\]{8,}/g;
const SENTENCE_END = /[.!?](?:\s|$)|\n|\\n/;
const PART = /[-_.:/@+]/;
/** A digit between letters, or a letter between digits: `x9y`, not `sha256`, `step-2`, `v1`. */
const MIXED = /[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d/;
/** Terms that contain a number, also inside of identifiers. */
const TERM =
  /(?:sha|md|aes|base|utf|ed|curve|rsa|hs|rs|pbkdf|oauth|http|ipv|mp|web|log|python|node|win|int|uint|float|arm|amd)\d{1,5}|(?:p|x)\d{2,3}|\d{1,2}(?:st|nd|rd|th|px|ms|kb|mb|gb|bit)(?![a-z])/gi;

/**
 * Finds a value in the rest of the line that cannot be a word, where no notation connects it with the name:
 * `use password … to log in`, `find("password").fill("…")`.
 */
export function findNearbyValue(text: string, end: number): TextRange | undefined {
  const rest = text.slice(end, end + MAX_DISTANCE + MAX_LENGTH);
  const stop = SENTENCE_END.exec(rest)?.index ?? rest.length;
  TOKEN.lastIndex = 0;
  for (
    let match = TOKEN.exec(rest);
    match && match.index < Math.min(stop, MAX_DISTANCE);
    match = TOKEN.exec(rest)
  ) {
    const token = match[0].replace(/[.!?…*\\]+$/, '');
    const next = rest[match.index + match[0].length] ?? '\n';
    if (!isUnmistakable(token.slice(0, MAX_LENGTH)) || /[(=:[]/.test(next)) continue;
    const start = end + match.index;
    if (match.index + match[0].length < rest.length) return { start, end: start + token.length };
    TOKEN.lastIndex = start;
    return { start, end: start + TOKEN.exec(text)![0].length };
  }
  return undefined;
}

/** Whether no word, identifier, path, hash, date or version looks like this. */
export function isUnmistakable(token: string): boolean {
  if (
    token.length < 8 ||
    /^[\da-f-]+$/i.test(token) ||
    /^https?|^0x|^[./~$%@#&*]|\.\w{1,4}$|\/.*\/|^\d{1,4}[-./]\d/.test(token)
  )
    return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^\w.:/#-]/].filter((kind) => kind.test(token)).length;
  if (classes < 3 || isPlaceholder(token)) return false;
  return token
    .replace(TERM, '')
    .split(PART)
    .some((part) => MIXED.test(part) && part.length >= (/[A-Z]/.test(part) ? 4 : 5));
}
