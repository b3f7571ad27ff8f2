import type { Steps } from '../../base/async/cooperative.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { VectorRows } from './dot-products.ts';
import { FIELDS, featuresOf, weightPerWord } from './features.ts';
import type { LexicalIndex } from './lexical-index.ts';
import type { WordVectors } from './word-vectors.ts';
import { isStopWord, plainWordsOf, searchWords } from './words.ts';

/** Requests that a tool is known to match: declared in its contract, or learned from calls. */
export interface ToolExamples {
  readonly contract: ToolContract;
  readonly requests: readonly string[];
  /** From 0 to 1. It is lower for few calls, which may be chance. */
  readonly trust: number;
}

/** The shared index that an overlay is computed for. */
export interface OverlayTarget {
  readonly contracts: readonly ToolContract[];
  readonly lexicalIndex: LexicalIndex;
  readonly vectors: WordVectors | undefined;
}

/** The share of the examples in a tool's similarity; the rest is the similarity of its own texts. */
const SIMILARITY_SHARE = 0.5;

interface ImpactChange {
  readonly tool: number;
  readonly impact: number;
}

/**
 * The field `examples`, as an overlay on the index that all callers share: it holds only the differences of the scores
 * with and without the field. So each caller has its own examples, and no other caller is affected by them.
 */
export class ExampleOverlay {
  readonly #changes = new Map<string, ImpactChange[]>();
  readonly #tools: readonly number[];
  readonly #trusts: readonly number[];
  readonly #embeddings: VectorRows | undefined;

  private constructor(
    tools: readonly { readonly tool: number; readonly trust: number }[],
    embeddings: VectorRows | undefined,
  ) {
    this.#tools = tools.map(({ tool }) => tool);
    this.#trusts = tools.map(({ trust }) => trust);
    this.#embeddings = embeddings;
  }

  static *of(
    examples: readonly ToolExamples[],
    { contracts, lexicalIndex, vectors }: OverlayTarget,
  ): Steps<ExampleOverlay> {
    const toolIndexes = new Map(contracts.map((contract, tool) => [contract, tool]));
    const used = examples.filter(
      ({ contract, requests }) => toolIndexes.has(contract) && requests.length > 0,
    );
    const tools = used.map(({ contract, trust }) => ({ tool: toolIndexes.get(contract)!, trust }));
    const means = vectors ? used.map(({ requests }) => meanEmbedding(requests, vectors)) : [];
    const embeddings = vectors && (yield* VectorRows.of(means, vectors.dims));
    const overlay = new ExampleOverlay(tools, embeddings);
    for (const [i, example] of used.entries()) {
      overlay.#addTool(tools[i]!.tool, example, lexicalIndex);
      yield;
    }
    return overlay;
  }

  #addTool(tool: number, { contract, requests, trust }: ToolExamples, lexicalIndex: LexicalIndex): void {
    const field = FIELDS.examples;
    const words = requests.flatMap((request) => searchWords(plainWordsOf(request)));
    const addedWeight = weightPerWord({ ...field, weight: trust * field.weight }, words.length);
    const { weights } = featuresOf(contract, undefined);
    for (const [word, times] of countWords(words)) {
      const ownWeight = weights.get(word) ?? 0;
      const impact =
        lexicalIndex.impact(word, ownWeight + times * addedWeight) - lexicalIndex.impact(word, ownWeight);
      const changes = this.#changes.get(word) ?? [];
      changes.push({ tool, impact });
      this.#changes.set(word, changes);
    }
  }

  /** Adds the impact of a word to the score of each tool whose examples have it. */
  add(word: string, into: Float32Array): void {
    for (const { tool, impact } of this.#changes.get(word) ?? []) into[tool]! += impact;
  }

  /** Blends the similarity of the examples into the similarity of each tool that has some. */
  blendSimilarities(query: Float32Array, similarities: Float32Array): void {
    if (!this.#embeddings || this.#tools.length === 0) return;
    const toExamples = new Float32Array(this.#tools.length);
    this.#embeddings.similarities(query, toExamples);
    for (const [row, tool] of this.#tools.entries()) {
      const share = SIMILARITY_SHARE * this.#trusts[row]!;
      similarities[tool]! += share * (toExamples[row]! - similarities[tool]!);
    }
  }
}

function meanEmbedding(requests: readonly string[], vectors: WordVectors): Float32Array {
  const mean = new Float32Array(vectors.dims);
  for (const request of requests) {
    const embedding = vectors.embed(plainWordsOf(request).filter((word) => !isStopWord(word)));
    for (let i = 0; i < mean.length; i++) mean[i]! += embedding[i]! / requests.length;
  }
  return mean;
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
