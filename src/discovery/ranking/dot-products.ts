import type { Steps } from '../../base/async/cooperative.ts';

/** `dot-products.wat`, assembled: about twenty times as fast as a loop over an Int8Array, with the same bits. */
const MODULE =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcQAgZtZW1vcnkCAANkb3QAAAqwAQGtAQICfwN7AkADQCAFIAFPDQH9DAAAAAAAAAAAAAAAAAAAAAAhB0EAIQYDQCAAIAZq/QAEACEIIAMgBmr9AAQAIQkgByAI/YcBIAn9hwH9ugH9rgEhByAHIAj9iAEgCf2IAf26Af2uASEHIAZBEGohBiAGIAJJDQALIAQgB/0bACAH/RsBaiAH/RsCIAf9GwNqajYCACAAIAJqIQAgBEEEaiEEIAVBAWohBQwACwsL';

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  dot(rows: number, count: number, width: number, query: number, out: number): void;
}

// TypeScript declares WebAssembly only in its DOM library, which this program does not use otherwise.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

const PAGE = 65_536;
const ROWS_PER_STEP = 500;
let compiled: object | undefined;

/** A matrix of vectors, quantized to int8, that is compared with one query at a time. */
export class VectorRows {
  readonly #width: number;
  readonly #count: number;
  readonly #rows: Int8Array;
  readonly #query: Int8Array;
  readonly #sums: Int32Array;
  readonly #scales: Float32Array;
  readonly #exports: Exports;

  private constructor(count: number, dims: number) {
    if (dims % 16 !== 0) throw new Error(`the number of dimensions must be a multiple of 16, not ${dims}`);
    compiled ??= new WebAssembly.Module(Buffer.from(MODULE, 'base64'));
    this.#exports = new WebAssembly.Instance(compiled).exports as Exports;
    this.#width = dims;
    this.#count = count;
    const rowBytes = count * dims;
    const bytes = rowBytes + dims + 4 * count;
    this.#exports.memory.grow(Math.max(Math.ceil(bytes / PAGE) - 1, 0));
    const { buffer } = this.#exports.memory;
    this.#rows = new Int8Array(buffer, 0, rowBytes);
    this.#query = new Int8Array(buffer, rowBytes, dims);
    this.#sums = new Int32Array(buffer, rowBytes + dims, count);
    this.#scales = new Float32Array(count);
  }

  static *of(vectors: readonly Float32Array[], dims: number): Steps<VectorRows> {
    const rows = new VectorRows(vectors.length, dims);
    for (const [row, vector] of vectors.entries()) {
      if (row % ROWS_PER_STEP === 0) yield;
      rows.#scales[row] = quantize(vector, rows.#rows.subarray(row * dims, (row + 1) * dims));
    }
    return rows;
  }

  /** Writes the cosine similarity of each row with the query to `out`. */
  similarities(query: Float32Array, out: Float32Array): void {
    const scale = quantize(query, this.#query);
    const rowBytes = this.#rows.length;
    this.#exports.dot(0, this.#count, this.#width, rowBytes, rowBytes + this.#width);
    for (let row = 0; row < this.#count; row++) out[row] = this.#sums[row]! * this.#scales[row]! * scale;
  }
}

/** Rounds a vector to int8 and returns the scale that restores it. */
function quantize(vector: Float32Array, into: Int8Array): number {
  let largest = 0;
  for (const x of vector) largest = Math.max(largest, Math.abs(x));
  const scale = largest / 127 || 1;
  for (let i = 0; i < vector.length; i++) into[i] = Math.round(vector[i]! / scale);
  return scale;
}
