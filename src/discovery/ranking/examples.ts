import type { ToolContract } from '../../contract/tool/tool.ts';
import { VectorRows } from './dot-products.ts';
import { FIELDS, featuresOf } from './features.ts';
import type { LexicalIndex } from './lexical-index.ts';
import type { Work } from './turns.ts';
import type { WordVectors } from './word-vectors.ts';
import { isStopWord, plainWordsOf, searchWords } from './words.ts';

/** Requests that a tool is known to answer: stated in its contract, or seen before. */
export interface ToolExamples {
  readonly contract: ToolContract;
  readonly requests: readonly string[];
  /** From 0 to 1: what was seen once may be chance. */
  readonly trust: number;
}

export interface ExamplesGround {
  readonly contracts: readonly ToolContract[];
  readonly words: LexicalIndex;
  readonly vectors: WordVectors | undefined;
}

/** What examples say of a tool's direction; the rest is what the tool says of itself. */
const SHARE_OF_MEANING = 0.5;

interface Shift {
  readonly tool: number;
  readonly impact: number;
}

/**
 * One more field of some tools, laid over an index that everybody shares: what it would have been with the field, less
 * what it is. So each caller can have examples of its own, and nothing of them reaches another.
 */
export class ExampleOverlay {
  readonly #shifts = new Map<string, Shift[]>();
  readonly #tools: readonly number[];
  readonly #shares: readonly number[];
  readonly #meanings: VectorRows | undefined;

  private constructor(
    taught: readonly { readonly tool: number; readonly share: number }[],
    meanings: VectorRows | undefined,
  ) {
    this.#tools = taught.map(({ tool }) => tool);
    this.#shares = taught.map(({ share }) => share);
    this.#meanings = meanings;
  }

  static *of(
    examples: readonly ToolExamples[],
    { contracts, words, vectors }: ExamplesGround,
  ): Work<ExampleOverlay> {
    const numbers = new Map(contracts.map((contract, tool) => [contract, tool]));
    const known = examples.filter(({ contract, requests }) => numbers.has(contract) && requests.length > 0);
    const taught = known.map(({ contract, trust }) => ({ tool: numbers.get(contract)!, share: trust }));
    const directions = vectors ? known.map(({ requests }) => directionOf(requests, vectors)) : [];
    const meanings = vectors && (yield* VectorRows.of(directions, vectors.dims));
    const overlay = new ExampleOverlay(taught, meanings);
    for (const [i, { contract, requests }] of known.entries()) {
      overlay.#lay(contract, requests, { ...taught[i]!, words });
      yield;
    }
    return overlay;
  }

  #lay(
    contract: ToolContract,
    requests: readonly string[],
    { tool, share, words }: { readonly tool: number; readonly share: number; readonly words: LexicalIndex },
  ): void {
    const { weight, dilution, usual } = FIELDS.examples;
    const said = requests.flatMap((request) => searchWords(plainWordsOf(request)));
    const each = (share * weight) / (1 - dilution + (dilution * said.length) / usual);
    const { weights } = featuresOf(contract, undefined);
    for (const [word, times] of countsOf(said)) {
      const own = weights.get(word) ?? 0;
      const impact = words.impact(word, own + times * each) - words.impact(word, own);
      const shifts = this.#shifts.get(word) ?? [];
      shifts.push({ tool, impact });
      this.#shifts.set(word, shifts);
    }
  }

  /** Adds what a word says for tools whose examples have it. */
  add(word: string, into: Float32Array): void {
    for (const { tool, impact } of this.#shifts.get(word) ?? []) into[tool]! += impact;
  }

  /** Turns similarities towards what the examples mean. */
  turn(query: Float32Array, similar: Float32Array): void {
    if (!this.#meanings || this.#tools.length === 0) return;
    const toExamples = new Float32Array(this.#tools.length);
    this.#meanings.similarities(query, toExamples);
    for (const [row, tool] of this.#tools.entries()) {
      const share = SHARE_OF_MEANING * this.#shares[row]!;
      similar[tool]! += share * (toExamples[row]! - similar[tool]!);
    }
  }
}

function directionOf(requests: readonly string[], vectors: WordVectors): Float32Array {
  const mean = new Float32Array(vectors.dims);
  for (const request of requests) {
    const one = vectors.embed(plainWordsOf(request).filter((word) => !isStopWord(word)));
    for (let i = 0; i < mean.length; i++) mean[i]! += one[i]! / requests.length;
  }
  return mean;
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
