import type { ToolFeatures } from './features.ts';

const K1 = 1.2;

/** BM25F as one list of impacts a word, in typed arrays: a query adds up a few runs of numbers. */
export class LexicalIndex {
  readonly size: number;
  readonly #terms: ReadonlyMap<string, number>;
  /** Where the run of each term begins in the two arrays below. */
  readonly #starts: Uint32Array;
  readonly #tools: Uint32Array;
  readonly #impacts: Float32Array;

  constructor(tools: readonly ToolFeatures[]) {
    this.size = tools.length;
    const terms = new Map<string, number>();
    const counts: number[] = [];
    for (const { weights } of tools) {
      for (const word of weights.keys()) {
        const term = terms.get(word);
        if (term === undefined) {
          terms.set(word, counts.length);
          counts.push(1);
        } else counts[term]!++;
      }
    }
    this.#terms = terms;
    this.#starts = new Uint32Array(counts.length + 1);
    for (let term = 0; term < counts.length; term++)
      this.#starts[term + 1] = this.#starts[term]! + counts[term]!;
    const postings = this.#starts[counts.length]!;
    this.#tools = new Uint32Array(postings);
    this.#impacts = new Float32Array(postings);
    const next = this.#starts.slice();
    for (const [tool, { weights }] of tools.entries()) {
      for (const [word, weight] of weights) {
        const term = terms.get(word)!;
        const rarity = Math.log(1 + (this.size - counts[term]! + 0.5) / (counts[term]! + 0.5));
        const at = next[term]!++;
        this.#tools[at] = tool;
        this.#impacts[at] = (rarity * weight) / (weight + K1);
      }
    }
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
