import type { Steps } from '../../base/async/cooperative.ts';
import type { ScoreExplanation } from '../../contract/browse.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { clausesOf } from './clauses.ts';
import { VectorRows } from './dot-products.ts';
import { ExampleOverlay, type ToolExamples } from './examples.ts';
import { featuresOf, type ToolFeatures } from './features.ts';
import { LexicalIndex } from './lexical-index.ts';
import { findPhrases, synonymsOf } from './lexicon.ts';
import { matchingWords } from './matching-words.ts';
import { ScoreBreakdown } from './score-breakdown.ts';
import { roundScore, selectBest } from './select-best.ts';
import { findSuccessions, preferSuccessors, type Succession } from './successors.ts';
import type { WordVectors } from './word-vectors.ts';
import { isStopWord, plainWordsOf, uniqueSearchWords } from './words.ts';

export interface Ranked {
  readonly contract: ToolContract;
  readonly score: number;
  /** The clause that the tool matches best; absent where the request has only one. */
  readonly clause?: string;
}

export interface RankOptions {
  readonly maySee?: (contract: ToolContract) => boolean;
  /** The usage examples of this caller. */
  readonly examples?: ExampleOverlay | undefined;
}

export interface RankingWeights {
  readonly lexicon: number;
  readonly meaning: number;
  /** The share of a namespace's best score that is added to its other tools. */
  readonly namespace: number;
  /** The weight of the best clause score beside the score of the whole request. */
  readonly clauses: number;
}

export interface RankerOptions {
  readonly vectors?: WordVectors | undefined;
  readonly weights?: RankingWeights;
  /** Returns cached features; by default they are computed. */
  readonly featuresFor?: (contract: ToolContract) => ToolFeatures;
}

interface RankerParts {
  readonly lexicalIndex: LexicalIndex;
  readonly embeddings: VectorRows | undefined;
  readonly vectors: WordVectors | undefined;
  readonly weights: RankingWeights;
}

/** How one request, or one clause of it, is scored. */
interface ScoringOptions {
  readonly examples: ExampleOverlay | undefined;
  /** Records the points of each signal; absent where no explanation is needed. */
  readonly breakdown?: ScoreBreakdown | undefined;
}

const TOOLS_PER_STEP = 10;
/** Time that building an index or an overlay may hold one turn of the event loop while calls wait (ms). */
export const RANKING_SLICE_MS = 10;

export const WEIGHTS: RankingWeights = { lexicon: 0.4, meaning: 6, namespace: 0.3, clauses: 1 };

/** Short requests depend on meaning; long ones repeat the words of the tool, so other signals count less. */
const SHORT_REQUEST = 6;
const MIN_SHARE = 0.15;
const MIN_SIMILARITY = 0.2;

/**
 * Scores tools for a request by words (BM25F), synonyms (lexicon), meaning (static vectors) and namespace. The same
 * request on the same tools gives the same bytes on every machine.
 */
export class Ranker {
  readonly #contracts: readonly ToolContract[];
  readonly #vectors: WordVectors | undefined;
  readonly #lexicalIndex: LexicalIndex;
  readonly #embeddings: VectorRows | undefined;
  readonly #namespaceOf: Uint32Array;
  readonly #namespaceCount: number;
  readonly #weights: RankingWeights;
  readonly #successions: readonly Succession[];

  private constructor(contracts: readonly ToolContract[], parts: RankerParts) {
    this.#contracts = contracts;
    this.#lexicalIndex = parts.lexicalIndex;
    this.#embeddings = parts.embeddings;
    this.#vectors = parts.vectors;
    this.#weights = parts.weights;
    const numbers = new Map<string, number>();
    this.#namespaceOf = Uint32Array.from(contracts, ({ namespace }) => {
      const number = numbers.get(namespace) ?? numbers.size;
      numbers.set(namespace, number);
      return number;
    });
    this.#namespaceCount = numbers.size;
    this.#successions = findSuccessions(contracts);
  }

  /** Indexes the tools in steps, so that a large catalog does not block the event loop. */
  static *of(contracts: readonly ToolContract[], options: RankerOptions = {}): Steps<Ranker> {
    const { vectors, weights = WEIGHTS, featuresFor = (contract) => featuresOf(contract, vectors) } = options;
    const features: ToolFeatures[] = [];
    for (const contract of contracts) {
      features.push(featuresFor(contract));
      if (features.length % TOOLS_PER_STEP === 0) yield;
    }
    const lexicalIndex = yield* LexicalIndex.of(features);
    const rows = features.map(({ vector }) => vector).filter((vector) => vector !== undefined);
    const embeddings = vectors && (yield* VectorRows.of(rows, vectors.dims));
    return new Ranker(contracts, { lexicalIndex, embeddings, vectors, weights });
  }

  /** Computes an overlay of examples on this index. The index does not change, so each caller can have its own. */
  overlay(examples: readonly ToolExamples[]): Steps<ExampleOverlay> {
    return ExampleOverlay.of(examples, {
      contracts: this.#contracts,
      lexicalIndex: this.#lexicalIndex,
      vectors: this.#vectors,
    });
  }

  /** The tools with a score above zero, best first, at most `limit`. */
  rank(request: string, limit: number, { maySee = () => true, examples }: RankOptions = {}): Ranked[] {
    const scores = this.#score(request, { examples });
    const clauses = this.#clausesOf(request);
    const bestClauses = clauses.length > 1 ? this.#addClauses(clauses, scores, { examples }) : undefined;
    this.#preferSuccessors(scores, maySee);
    return selectBest(scores, this.#contracts, { limit, maySee }).map(({ tool, contract, score }) => ({
      contract,
      score,
      ...(bestClauses && { clause: clauses[bestClauses[tool]!]! }),
    }));
  }

  explain(
    request: string,
    contract: ToolContract,
    { maySee = () => true, examples }: RankOptions = {},
  ): ScoreExplanation {
    const tool = this.#contracts.indexOf(contract);
    const breakdown = new ScoreBreakdown(tool);
    const scores = this.#score(request, { examples, breakdown });
    const clauses = this.#clausesOf(request);
    if (clauses.length > 1) this.#addClauses(clauses, scores, { examples, breakdown });
    this.#preferSuccessors(scores, maySee);
    breakdown.record('deprecation', scores);
    const matches = matchingWords(request, contract);
    return {
      score: roundScore(scores[tool]!),
      signals: [...breakdown.points]
        .filter(([, points]) => roundScore(points) !== 0)
        .map(([signal, points]) => ({
          signal,
          points: roundScore(points),
          because: matches[signal] ?? [],
        })),
    };
  }

  /** A successor that the caller may not see must not change what it sees. */
  #preferSuccessors(scores: Float32Array, maySee: (contract: ToolContract) => boolean): void {
    const visible = this.#successions.filter(({ successor }) => maySee(this.#contracts[successor]!));
    preferSuccessors(scores, visible);
  }

  #clausesOf(request: string): readonly string[] {
    return this.#weights.clauses > 0 ? clausesOf(request) : [request];
  }

  #score(request: string, { examples, breakdown }: ScoringOptions): Float32Array {
    const plainWords = plainWordsOf(request);
    const words = uniqueSearchWords(plainWords);
    const scores = new Float32Array(this.#contracts.length);
    for (const word of words) this.#lexicalIndex.add(word, scores);
    breakdown?.record('words', scores);
    for (const word of words) examples?.add(word, scores);
    breakdown?.record('examples', scores);
    const best = largestOf(scores) || 1;
    const share = Math.min(Math.max(SHORT_REQUEST / Math.max(words.length, 1), MIN_SHARE), 1);
    for (const synonyms of [...words.map(synonymsOf), ...findPhrases(plainWords)]) {
      const added = synonyms.filter((synonym) => !words.includes(synonym));
      this.#lexicalIndex.addBest(added, share * this.#weights.lexicon, scores);
    }
    breakdown?.record('synonyms', scores);
    scale(scores, 1 / best);
    breakdown?.scale(1 / best);
    this.#addMeaning(plainWords, scores, { share, examples });
    breakdown?.record('meaning', scores);
    this.#addNamespaces(share, scores);
    breakdown?.record('namespace', scores);
    return scores;
  }

  #addMeaning(
    plainWords: readonly string[],
    scores: Float32Array,
    { share, examples }: { readonly share: number; readonly examples: ExampleOverlay | undefined },
  ): void {
    if (!this.#vectors || !this.#embeddings) return;
    const similarities = new Float32Array(scores.length);
    const query = this.#vectors.embed(plainWords.filter((word) => !isStopWord(word)));
    this.#embeddings.similarities(query, similarities);
    examples?.blendSimilarities(query, similarities);
    const weight = share * this.#weights.meaning;
    for (let tool = 0; tool < scores.length; tool++) {
      // All texts are slightly similar, so a tool without a common word needs a minimum to be listed at all.
      if (scores[tool] === 0 && similarities[tool]! < MIN_SIMILARITY) continue;
      scores[tool]! += weight * similarities[tool]!;
    }
  }

  /** A request often names the product, so the best score of a namespace supports its other tools, if it has any. */
  #addNamespaces(share: number, scores: Float32Array): void {
    if (this.#namespaceCount < 2 || this.#namespaceCount >= this.#contracts.length / 2) return;
    const best = new Float32Array(this.#namespaceCount).fill(Number.NEGATIVE_INFINITY);
    for (let tool = 0; tool < scores.length; tool++) {
      const namespace = this.#namespaceOf[tool]!;
      if (scores[tool]! > best[namespace]!) best[namespace] = scores[tool]!;
    }
    const weight = share * this.#weights.namespace;
    for (let tool = 0; tool < scores.length; tool++) {
      if (scores[tool]! > 0) scores[tool]! += weight * best[this.#namespaceOf[tool]!]!;
    }
  }

  /** Adds the best clause score of each tool: one that matches one clause well is relevant. Returns the best clauses. */
  #addClauses(
    clauses: readonly string[],
    scores: Float32Array,
    { examples, breakdown }: ScoringOptions,
  ): Uint16Array {
    const factor = 1 / (largestOf(scores) || 1);
    scale(scores, factor);
    breakdown?.scale(factor);
    const best = new Float32Array(scores.length);
    const bestClauses = new Uint16Array(scores.length);
    for (const [number, clause] of clauses.entries()) {
      const clauseScores = this.#score(clause, { examples });
      const clauseFactor = 1 / (largestOf(clauseScores) || 1);
      for (let tool = 0; tool < clauseScores.length; tool++) {
        if (clauseScores[tool]! * clauseFactor <= best[tool]!) continue;
        best[tool] = clauseScores[tool]! * clauseFactor;
        bestClauses[tool] = number;
      }
    }
    for (let tool = 0; tool < scores.length; tool++) scores[tool]! += this.#weights.clauses * best[tool]!;
    breakdown?.record('clauses', scores);
    return bestClauses;
  }
}

function largestOf(numbers: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i]! > largest) largest = numbers[i]!;
  return largest;
}

function scale(numbers: Float32Array, factor: number): void {
  for (let i = 0; i < numbers.length; i++) numbers[i]! *= factor;
}
