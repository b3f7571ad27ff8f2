/**
 * Finds where the parts of JSON text end (RFC 8259) without parsing it. Every function takes the index of the first
 * character of a part and returns the index after its last one, or undefined where the part is malformed.
 */

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// Wider than the grammar, so that `12-` is one malformed number and not a valid one with a minus after it.
const NUMBER = /[-+.eE\d]+/y;

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** Skips true, false, null or a number. */
export function skipScalar(text: string, at: number): number | undefined {
  SCALAR.lastIndex = at;
  return SCALAR.test(text) ? SCALAR.lastIndex : undefined;
}

export function skipString(text: string, at: number): number | undefined {
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - backslashes - 1] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return undefined;
}

export interface ContainerLimits {
  /** A container that is nested deeper counts as malformed. */
  readonly maxDepth?: number;
  /** Receives every number of the container, as it is written. */
  readonly onNumber?: (number: string, at: number) => void;
}

/** Skips an object or an array. Brackets are counted, not matched: only a parser decides whether the text is JSON. */
export function skipContainer(text: string, at: number, limits: ContainerLimits = {}): number | undefined {
  const { maxDepth = Number.POSITIVE_INFINITY, onNumber } = limits;
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      const end = skipString(text, i);
      if (end === undefined) return undefined;
      i = end - 1;
    } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      if (++depth > maxDepth) return undefined;
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      if (--depth === 0) return i + 1;
    } else if (onNumber && ((unit >= ZERO && unit <= NINE) || unit === MINUS)) {
      const number = readNumber(text, i);
      onNumber(number, i);
      i += number.length - 1;
    }
  }
  return undefined;
}

function readNumber(text: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)![0];
}

/** Skips any value. */
export function skipValue(text: string, at: number): number | undefined {
  if (text[at] === '"') return skipString(text, at);
  return text[at] === '{' || text[at] === '[' ? skipContainer(text, at) : skipScalar(text, at);
}
