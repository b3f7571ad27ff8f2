/** Measured: scanning one character, trimming one blank, and recording one invalid quote, in nanoseconds. */
const SCAN_COST = 1 / 64;
const TRIM_COST = 1;
const INVALID_QUOTE_COST = 250;
const BASE_COST = 2_000_000;
const MAX_COST_PER_CHARACTER = 50;
const MAX_BLANK_LINES = 1_000_000;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Whether papaparse would take too long for a text. At each quote it scans to the next separator and to the next line
 * end: quadratic time in a text made for it.
 */
export function isCostlyCsv(text: string, separator: string): boolean {
  const maxCost = BASE_COST + text.length * MAX_COST_PER_CHARACTER;
  const separatorCode = separator.charCodeAt(0);
  const isEdge = (code: number): boolean =>
    code === separatorCode || code === QUOTE || code === LINE_FEED || code === CARRIAGE_RETURN;
  const nextSeparator = new NextMark(text, separator);
  const nextLineEnd = new NextMark(text, '\n');
  let cost = 0;
  for (let quote = text.indexOf('"'); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    cost += nextSeparator.costFrom(quote) + nextLineEnd.costFrom(quote);
    const isInside = !isEdge(text.charCodeAt(quote - 1)) && !isEdge(text.charCodeAt(quote + 1));
    if (isInside) cost += INVALID_QUOTE_COST;
    if (cost > maxCost) return true;
  }
  return hasManyBlankLines(text);
}

/** The next separator or line end, searched again only when the scan has passed it. */
class NextMark {
  readonly #text: string;
  readonly #mark: string;
  #at = -1;
  #trimCost = 0;

  constructor(text: string, mark: string) {
    this.#text = text;
    this.#mark = mark;
  }

  costFrom(quote: number): number {
    if (this.#at < quote) this.#findFrom(quote);
    return (this.#at - quote) * SCAN_COST + this.#trimCost;
  }

  #findFrom(quote: number): void {
    const found = this.#text.indexOf(this.#mark, quote);
    const at = found === -1 ? this.#text.length : found;
    const isBlank = this.#text.charCodeAt(at - 1) <= 0x20;
    const blanks = isBlank ? at - quote - this.#text.slice(quote, at).trimEnd().length : 0;
    this.#at = at;
    this.#trimCost = blanks * TRIM_COST;
  }
}

function hasManyBlankLines(text: string): boolean {
  let count = 0;
  for (
    let at = text.indexOf('\n\n');
    at !== -1 && count <= MAX_BLANK_LINES;
    at = text.indexOf('\n\n', at + 1)
  ) {
    count++;
  }
  return count > MAX_BLANK_LINES;
}
