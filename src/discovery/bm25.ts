import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import { isJsonObject } from '../contract/json.ts';
import type { ToolContract } from '../contract/tool.ts';
import { wordsOf } from './words.ts';

export interface Ranked {
  readonly contract: ToolContract;
  readonly score: number;
}

const K1 = 1.2;
const B = 0.75;
/** Scores are told to four digits, so they are ordered by four: equal ones must stand in the order of ids. */
const SCORE_STEPS = 10_000;

/** BM25 over everything that a tool says of itself. */
export class Bm25Index {
  readonly #contracts: readonly ToolContract[];
  readonly #postings = new Map<string, { readonly tool: number; readonly count: number }[]>();
  readonly #lengths: number[] = [];
  readonly #meanLength: number;

  constructor(contracts: readonly ToolContract[]) {
    this.#contracts = contracts;
    for (const [tool, contract] of contracts.entries()) {
      const counts = new Map<string, number>();
      const words = wordsOf(textOf(contract));
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      for (const [word, count] of counts) {
        const postings = this.#postings.get(word);
        if (postings) postings.push({ tool, count });
        else this.#postings.set(word, [{ tool, count }]);
      }
      this.#lengths.push(words.length);
    }
    this.#meanLength =
      this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(contracts.length, 1) || 1;
  }

  /** Best first; ties by id, so that two machines agree. */
  rank(query: string): Ranked[] {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsOf(query))) {
      const postings = this.#postings.get(word) ?? [];
      const rarity = Math.log(1 + (this.#contracts.length - postings.length + 0.5) / (postings.length + 0.5));
      for (const { tool, count } of postings) {
        const norm = K1 * (1 - B + (B * this.#lengths[tool]!) / this.#meanLength);
        scores.set(tool, (scores.get(tool) ?? 0) + (rarity * count * (K1 + 1)) / (count + norm));
      }
    }
    return [...scores]
      .map(([tool, score]) => ({
        contract: this.#contracts[tool]!,
        score: Math.round(score * SCORE_STEPS) / SCORE_STEPS,
      }))
      .sort((a, b) => b.score - a.score || (a.contract.id < b.contract.id ? -1 : 1));
  }
}

function textOf({ name, namespace, title, description, tags, inputSchema }: ToolContract): string {
  const properties = isJsonObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  return [name, name, namespace, title ?? '', description, ...tags, ...properties].join(' ');
}

const indexes = new WeakMap<CatalogSnapshot, Bm25Index>();

/** The index belongs to its snapshot: a swap of the catalog drops it, and nothing stale can be asked. */
export function indexOf(snapshot: CatalogSnapshot): Bm25Index {
  let index = indexes.get(snapshot);
  if (!index) {
    index = new Bm25Index(snapshot.contracts);
    indexes.set(snapshot, index);
  }
  return index;
}
