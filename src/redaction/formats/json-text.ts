/** Places in a text that is JSON (RFC 8259), or that may be. */

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const QUOTE_OR_BRACKET = /["{}[\]]/g;

export function afterSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** Behind true, false, null or a number; undefined where none of them stands. */
export function afterScalar(text: string, at: number): number | undefined {
  SCALAR.lastIndex = at;
  return SCALAR.test(text) ? SCALAR.lastIndex : undefined;
}

/** Behind the quote that closes the one at a place; undefined where none does. */
export function afterString(text: string, at: number): number | undefined {
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let run = 0;
    while (text[quote - run - 1] === '\\') run++;
    if (run % 2 === 0) return quote + 1;
  }
  return undefined;
}

/** Behind a value of a text that is known to be JSON. */
export function afterValue(text: string, at: number): number {
  if (text[at] === '"') return afterString(text, at)!;
  if (text[at] !== '{' && text[at] !== '[') return afterScalar(text, at)!;
  let depth = 0;
  QUOTE_OR_BRACKET.lastIndex = at;
  do {
    QUOTE_OR_BRACKET.test(text);
    const found = QUOTE_OR_BRACKET.lastIndex - 1;
    if (text[found] === '"') QUOTE_OR_BRACKET.lastIndex = afterString(text, found)!;
    else depth += text[found] === '{' || text[found] === '[' ? 1 : -1;
  } while (depth > 0);
  return QUOTE_OR_BRACKET.lastIndex;
}
