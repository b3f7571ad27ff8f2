/**
 * A static embedding: one vector per word piece, and a text is the sum of its pieces. It was distilled from sentence
 * encoders on openly licensed text; `bench/discovery/train/` has the scripts.
 */
export class WordVectors {
  readonly dims: number;
  readonly #pieces = new Map<string, number>();
  readonly #scales: Float32Array;
  readonly #vectors: Int8Array;

  /** Reads the layout that `bench/discovery/train/pack.py` writes. */
  constructor(file: Uint8Array) {
    const header = new DataView(file.buffer, file.byteOffset, HEADER_BYTES);
    if (header.getUint32(0, true) !== MAGIC)
      throw new Error('not a word vector file: the magic number is wrong');
    this.dims = header.getUint32(4, true);
    const count = header.getUint32(8, true);
    const textBytes = header.getUint32(12, true);
    const text = new TextDecoder().decode(file.subarray(HEADER_BYTES, HEADER_BYTES + textBytes));
    for (const [index, piece] of text.trimEnd().split('\n').entries()) this.#pieces.set(piece, index);
    const scalesAt = HEADER_BYTES + textBytes;
    this.#scales = new Float32Array(copyBytes(file.subarray(scalesAt, scalesAt + 4 * count)));
    this.#vectors = new Int8Array(copyBytes(file.subarray(scalesAt + 4 * count)));
  }

  /** The embedding of a text as a unit vector; all zeros where the text has no known piece. */
  embed(words: readonly string[]): Float32Array {
    const sum = new Float32Array(this.dims);
    for (const word of words) for (const piece of this.#piecesOf(word)) this.#add(sum, piece);
    return normalize(sum);
  }

  #add(sum: Float32Array, piece: number): void {
    const scale = this.#scales[piece]!;
    const start = piece * this.dims;
    for (let i = 0; i < this.dims; i++) sum[i]! += scale * this.#vectors[start + i]!;
  }

  /** Greedy longest match from the left; the rest of a word that has no matching piece is ignored. */
  #piecesOf(word: string): readonly number[] {
    const known = this.#pieces.get(word);
    if (known !== undefined) return [known];
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

/** Typed arrays need aligned memory, and the bytes of a file may start anywhere in a larger buffer. */
function copyBytes(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

const MAGIC = 0x56574754;
const HEADER_BYTES = 16;

function normalize(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const x of vector) squares += x * x;
  const length = Math.sqrt(squares);
  return length === 0 ? vector : vector.map((x) => x / length);
}
