/**
 * A small static embedding: one vector a word piece, a text is the sum of its pieces. Taught by sentence
 * encoders on openly licensed text; the recipe is in `bench/discovery/train/`.
 */
export class WordVectors {
  readonly dims: number;
  readonly #pieces = new Map<string, number>();
  readonly #scales: Float32Array;
  readonly #vectors: Int8Array;

  /** Reads the layout that `bench/discovery/train/pack.py` writes. */
  constructor(file: Uint8Array) {
    const header = new DataView(file.buffer, file.byteOffset, HEADER_BYTES);
    if (header.getUint32(0, true) !== MAGIC) throw new Error('not a file of word vectors');
    this.dims = header.getUint32(4, true);
    const count = header.getUint32(8, true);
    const textBytes = header.getUint32(12, true);
    const text = new TextDecoder().decode(file.subarray(HEADER_BYTES, HEADER_BYTES + textBytes));
    for (const [index, piece] of text.trimEnd().split('\n').entries()) this.#pieces.set(piece, index);
    const scalesAt = HEADER_BYTES + textBytes;
    this.#scales = new Float32Array(copied(file.subarray(scalesAt, scalesAt + 4 * count)));
    this.#vectors = new Int8Array(copied(file.subarray(scalesAt + 4 * count)));
  }

  /** The direction of a text, of length 1; all zeros where it has no known piece. */
  embed(words: readonly string[]): Float32Array {
    const sum = new Float32Array(this.dims);
    for (const word of words) for (const piece of this.#piecesOf(word)) this.#add(sum, piece);
    return normalized(sum);
  }

  #add(sum: Float32Array, piece: number): void {
    const scale = this.#scales[piece]!;
    const start = piece * this.dims;
    for (let i = 0; i < this.dims; i++) sum[i]! += scale * this.#vectors[start + i]!;
  }

  /** The longest piece from the left, again and again; what cannot be spelled is left out. */
  #piecesOf(word: string): readonly number[] {
    const whole = this.#pieces.get(word);
    if (whole !== undefined) return [whole];
    const found: number[] = [];
    let start = 0;
    while (start < word.length) {
      let end = word.length;
      let piece: number | undefined;
      for (; end > start && piece === undefined; end--) {
        piece = this.#pieces.get(start === 0 ? word.slice(0, end) : `##${word.slice(start, end)}`);
      }
      if (piece === undefined) return found;
      found.push(piece);
      start = end + 1;
    }
    return found;
  }
}

/** Numbers need an address of their own: a file's bytes may lie anywhere in a larger buffer. */
function copied(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

const MAGIC = 0x56574754;
const HEADER_BYTES = 16;

export function normalized(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const x of vector) squares += x * x;
  const length = Math.sqrt(squares);
  return length === 0 ? vector : vector.map((x) => x / length);
}
