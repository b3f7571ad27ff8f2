import type { ToolFeatures } from './features.ts';
import type { Work } from './turns.ts';

const K1 = 1.2;
const TOOLS_A_PIECE = 100;

/** BM25F as one list of impacts a word, in typed arrays: a query adds up a few runs of numbers. */
export class LexicalIndex {
  readonly size: number;
  readonly #terms: ReadonlyMap<string, number>;
  /** Where the run of each term begins in the two arrays below. */
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

  static *of(tools: readonly ToolFeatures[]): Work<LexicalIndex> {
    const terms = new Map<string, number>();
    const counts: number[] = [];
    for (const [tool, { weights }] of tools.entries()) {
      if (tool % TOOLS_A_PIECE === 0) yield;
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

  *#fill(tools: readonly ToolFeatures[], counts: readonly number[]): Work<void> {
    const rarities = counts.map((count) => rarityOf(count, this.size));
    const next = this.#starts.slice();
    for (const [tool, { weights }] of tools.entries()) {
      if (tool % TOOLS_A_PIECE === 0) yield;
      for (const [word, weight] of weights) {
        const term = this.#terms.get(word)!;
        const at = next[term]!++;
        this.#tools[at] = tool;
        this.#impacts[at] = (rarities[term]! * weight) / (weight + K1);
      }
    }
  }

  /** What a word of this weight says for a tool, in this catalog. */
  impact(word: string, weight: number): number {
    const term = this.#terms.get(word);
    const holders = term === undefined ? 0 : this.#starts[term + 1]! - this.#starts[term]!;
    return (rarityOf(holders, this.size) * weight) / (weight + K1);
  }

  /** Adds what a word says for each tool. */
  add(word: string, into: Float32Array): void {
    const term = this.#terms.get(word);
    if (term === undefined) return;
    const end = this.#starts[term + 1]!;
    for (let at = this.#starts[term]!; at < end; at++) into[this.#tools[at]!]! += this.#impacts[at]!;
  }

  /** For words that mean nearly the same: a tool is credited once, by the one that says most for it. */
  addBest(words: readonly string[], weight: number, into: Float32Array): void {
    const best = new Map<number, number>();
    for (const word of words) {
      const term = this.#terms.get(word);
      if (term === undefined) continue;
      const end = this.#starts[term + 1]!;
      for (let at = this.#starts[term]!; at < end; at++) {
        const tool = this.#tools[at]!;
        const impact = this.#impacts[at]!;
        if (impact > (best.get(tool) ?? 0)) best.set(tool, impact);
      }
    }
    for (const [tool, impact] of best) into[tool]! += weight * impact;
  }
}

function rarityOf(holders: number, all: number): number {
  return Math.log(1 + (all - holders + 0.5) / (holders + 0.5));
}
