import type { Steps } from '../../base/async/cooperative.ts';
import type { ToolFeatures } from './features.ts';

const K1 = 1.2;
const TOOLS_PER_STEP = 100;

/** An inverted index with BM25F impacts, in typed arrays: a query adds up one posting list per word. */
export class LexicalIndex {
  readonly size: number;
  readonly #terms: ReadonlyMap<string, number>;
  /** Where the posting list of each term begins in the two arrays below. */
  readonly #starts: Uint32Array;
  readonly #tools: Uint32Array;
  readonly #impacts: Float32Array;

  private constructor(size: number, terms: ReadonlyMap<string, number>, starts: Uint32Array) {
    this.size = size;
    this.#terms = terms;
    this.#starts = starts;
    const postings = starts.at(-1)!;
    this.#tools = new Uint32Array(postings);
    this.#impacts = new Float32Array(postings);
  }

  static *of(tools: readonly ToolFeatures[]): Steps<LexicalIndex> {
    const terms = new Map<string, number>();
    const counts: number[] = [];
    for (const [tool, { weights }] of tools.entries()) {
      if (tool % TOOLS_PER_STEP === 0) yield;
      for (const word of weights.keys()) {
        const term = terms.get(word);
        if (term === undefined) {
          terms.set(word, counts.length);
          counts.push(1);
        } else counts[term]!++;
      }
    }
    const starts = new Uint32Array(counts.length + 1);
    for (let term = 0; term < counts.length; term++) starts[term + 1] = starts[term]! + counts[term]!;
    const index = new LexicalIndex(tools.length, terms, starts);
    yield* index.#fill(tools, counts);
    return index;
  }

  *#fill(tools: readonly ToolFeatures[], counts: readonly number[]): Steps<void> {
    const idfs = counts.map((count) => inverseDocumentFrequency(count, this.size));
    const next = this.#starts.slice();
    for (const [tool, { weights }] of tools.entries()) {
      if (tool % TOOLS_PER_STEP === 0) yield;
      for (const [word, weight] of weights) {
        const term = this.#terms.get(word)!;
        const posting = next[term]!++;
        this.#tools[posting] = tool;
        this.#impacts[posting] = (idfs[term]! * weight) / (weight + K1);
      }
    }
  }

  /** The points that a word of this weight would give a tool of this catalog. */
  impact(word: string, weight: number): number {
    const term = this.#terms.get(word);
    const documents = term === undefined ? 0 : this.#starts[term + 1]! - this.#starts[term]!;
    return (inverseDocumentFrequency(documents, this.size) * weight) / (weight + K1);
  }

  /** Adds the impact of a word to the score of each tool that has it. */
  add(word: string, into: Float32Array): void {
    const term = this.#terms.get(word);
    if (term === undefined) return;
    const end = this.#starts[term + 1]!;
    for (let posting = this.#starts[term]!; posting < end; posting++)
      into[this.#tools[posting]!]! += this.#impacts[posting]!;
  }

  /** For synonyms: adds to each tool only the highest impact among the words. */
  addBest(words: readonly string[], weight: number, into: Float32Array): void {
    const best = new Map<number, number>();
    for (const word of words) {
      const term = this.#terms.get(word);
      if (term === undefined) continue;
      const end = this.#starts[term + 1]!;
      for (let posting = this.#starts[term]!; posting < end; posting++) {
        const tool = this.#tools[posting]!;
        const impact = this.#impacts[posting]!;
        if (impact > (best.get(tool) ?? 0)) best.set(tool, impact);
      }
    }
    for (const [tool, impact] of best) into[tool]! += weight * impact;
  }
}

function inverseDocumentFrequency(documents: number, total: number): number {
  return Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
}
