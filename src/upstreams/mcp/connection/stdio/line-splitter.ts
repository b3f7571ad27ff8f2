/** A complete line, or both ends of one that was longer than the limit. */
export type Line =
  | { readonly kind: 'complete'; readonly text: string; readonly bytes: number }
  | {
      readonly kind: 'oversized';
      readonly head: string;
      readonly tail: string;
      readonly bytes: number;
    };

const NEWLINE = 0x0a;
/** Enough for the members of a JSON-RPC message besides its result. */
const END_BYTES = 4_096;

/** Splits a stream of bytes into lines, one at a time. Of a line over the limit only its two ends are kept in memory. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  /** What earlier chunks held of the current line. */
  #parts: Buffer[] = [];
  #bytes = 0;
  #head = '';

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  /** The next line; undefined until more bytes come. */
  next(): Line | undefined {
    for (let chunk = this.#chunks.shift(); chunk; chunk = this.#chunks.shift()) {
      const end = chunk.indexOf(NEWLINE);
      this.#add(end < 0 ? chunk : chunk.subarray(0, end));
      if (end < 0) continue;
      if (end + 1 < chunk.length) this.#chunks.unshift(chunk.subarray(end + 1));
      return this.#takeLine();
    }
    return undefined;
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    this.#parts.push(part);
    if (this.#bytes <= this.#maxBytes) return;
    this.#head ||= Buffer.concat(this.#parts, END_BYTES).toString('utf8');
    this.#parts = [Buffer.from(Buffer.concat(this.#parts).subarray(-END_BYTES))];
  }

  #takeLine(): Line {
    const [bytes, head] = [this.#bytes, this.#head];
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    this.#head = '';
    return bytes > this.#maxBytes
      ? { kind: 'oversized', head, tail: text, bytes }
      : { kind: 'complete', text, bytes };
  }
}
