import type { ToolContract } from '../../contract/tool.ts';
import { isStopWord, plainWordsOf, searchWords } from '../words.ts';
import { clausesOf } from './clauses.ts';
import { VectorRows } from './dot-products.ts';
import { featuresOf, type ToolFeatures } from './features.ts';
import { LexicalIndex } from './lexical-index.ts';
import { alsoCalled } from './lexicon.ts';
import type { Work } from './turns.ts';
import type { WordVectors } from './word-vectors.ts';

export interface Ranked {
  readonly contract: ToolContract;
  readonly score: number;
}

export interface RankingWeights {
  readonly lexicon: number;
  readonly meaning: number;
  /** What the best tool of a namespace says for its neighbours. */
  readonly namespace: number;
  /** What the parts of a long request say beside the whole of it. */
  readonly clauses: number;
}

export interface RankerOptions {
  readonly vectors?: WordVectors | undefined;
  readonly weights?: RankingWeights;
  readonly knownFeatures?: (contract: ToolContract) => ToolFeatures;
}

interface RankerParts {
  readonly words: LexicalIndex;
  readonly meanings: VectorRows | undefined;
  readonly vectors: WordVectors | undefined;
  readonly weights: RankingWeights;
}

const TOOLS_A_PIECE = 10;

export const WEIGHTS: RankingWeights = { lexicon: 0.4, meaning: 3.5, namespace: 0.2, clauses: 1 };

/** Short requests leave most to meaning; long ones repeat the tool's own words. */
const SHORT_REQUEST = 8;
const LEAST_SHARE = 0.25;
const LEAST_MEANING = 0.2;
/** Scores are told to four digits, so they are ordered by four: equal ones must stand in the order of ids. */
const SCORE_STEPS = 10_000;

/**
 * The order of tools for a request: what their words say (BM25F), what other words for the same say (lexicon), what
 * they mean (static vectors), and whether their namespace is spoken of. The same request on the same tools gives the
 * same bytes on every machine.
 */
export class Ranker {
  readonly #contracts: readonly ToolContract[];
  readonly #vectors: WordVectors | undefined;
  readonly #words: LexicalIndex;
  readonly #meanings: VectorRows | undefined;
  readonly #namespaceOf: Uint32Array;
  readonly #namespaces: number;
  readonly #weights: RankingWeights;

  private constructor(contracts: readonly ToolContract[], parts: RankerParts) {
    this.#contracts = contracts;
    this.#words = parts.words;
    this.#meanings = parts.meanings;
    this.#vectors = parts.vectors;
    this.#weights = parts.weights;
    const numbers = new Map<string, number>();
    this.#namespaceOf = Uint32Array.from(contracts, ({ namespace }) => {
      const known = numbers.get(namespace) ?? numbers.size;
      numbers.set(namespace, known);
      return known;
    });
    this.#namespaces = numbers.size;
  }

  /** Indexes the tools, in pieces. Whoever keeps features hands them in; the others are made here. */
  static *of(contracts: readonly ToolContract[], options: RankerOptions = {}): Work<Ranker> {
    const {
      vectors,
      weights = WEIGHTS,
      knownFeatures = (contract) => featuresOf(contract, vectors),
    } = options;
    const features: ToolFeatures[] = [];
    for (const contract of contracts) {
      features.push(knownFeatures(contract));
      if (features.length % TOOLS_A_PIECE === 0) yield;
    }
    const words = yield* LexicalIndex.of(features);
    const all = features.map(({ vector }) => vector).filter((vector) => vector !== undefined);
    const meanings = vectors && (yield* VectorRows.of(all, vectors.dims));
    return new Ranker(contracts, { words, meanings, vectors, weights });
  }

  /** Best first, at most `limit`, only tools that something speaks for. */
  rank(request: string, limit: number, maySee: (contract: ToolContract) => boolean = () => true): Ranked[] {
    const scores = this.#scores(request);
    const clauses = clausesOf(request);
    if (clauses.length > 1 && this.#weights.clauses > 0) this.#addClauses(clauses, scores);
    return this.#best(scores, limit, maySee);
  }

  #scores(request: string): Float32Array {
    const plain = plainWordsOf(request);
    const words = [...new Set(searchWords(plain))];
    const scores = new Float32Array(this.#contracts.length);
    for (const word of words) this.#words.add(word, scores);
    const strongest = largestOf(scores) || 1;
    const share = Math.min(Math.max(SHORT_REQUEST / Math.max(words.length, 1), LEAST_SHARE), 1);
    for (const word of words) {
      const others = alsoCalled(word).filter((other) => !words.includes(other));
      this.#words.addBest(others, share * this.#weights.lexicon, scores);
    }
    for (let tool = 0; tool < scores.length; tool++) scores[tool]! /= strongest;
    this.#addMeaning(plain, share, scores);
    this.#addNamespaces(share, scores);
    return scores;
  }

  #addMeaning(plain: readonly string[], share: number, scores: Float32Array): void {
    if (!this.#vectors || !this.#meanings) return;
    const similar = new Float32Array(scores.length);
    this.#meanings.similarities(this.#vectors.embed(plain.filter((word) => !isStopWord(word))), similar);
    const weight = share * this.#weights.meaning;
    for (let tool = 0; tool < scores.length; tool++) {
      // Everything is a little like everything: without a word in common it takes more than that to be shown.
      if (scores[tool] === 0 && similar[tool]! < LEAST_MEANING) continue;
      scores[tool]! += weight * similar[tool]!;
    }
  }

  /** Where namespaces are products, naming one speaks for all of its tools; where each tool has its own, it says nothing. */
  #addNamespaces(share: number, scores: Float32Array): void {
    if (this.#namespaces < 2 || this.#namespaces >= this.#contracts.length / 2) return;
    const best = new Float32Array(this.#namespaces).fill(Number.NEGATIVE_INFINITY);
    for (let tool = 0; tool < scores.length; tool++) {
      const namespace = this.#namespaceOf[tool]!;
      if (scores[tool]! > best[namespace]!) best[namespace] = scores[tool]!;
    }
    const weight = share * this.#weights.namespace;
    for (let tool = 0; tool < scores.length; tool++) {
      if (scores[tool]! > 0) scores[tool]! += weight * best[this.#namespaceOf[tool]!]!;
    }
  }

  /** Each part of a long request gets its say: a tool that answers one of them well is wanted. */
  #addClauses(clauses: readonly string[], scores: Float32Array): void {
    scale(scores, 1 / (largestOf(scores) || 1));
    const best = new Float32Array(scores.length);
    for (const clause of clauses) {
      const part = this.#scores(clause);
      const factor = 1 / (largestOf(part) || 1);
      for (let tool = 0; tool < part.length; tool++) best[tool] = Math.max(best[tool]!, part[tool]! * factor);
    }
    for (let tool = 0; tool < scores.length; tool++) scores[tool]! += this.#weights.clauses * best[tool]!;
  }

  #best(scores: Float32Array, limit: number, maySee: (contract: ToolContract) => boolean): Ranked[] {
    const found: Ranked[] = [];
    let threshold = 0;
    for (let tool = 0; tool < scores.length; tool++) {
      const score = Math.round(scores[tool]! * SCORE_STEPS) / SCORE_STEPS;
      if (score <= 0 || score < threshold) continue;
      const contract = this.#contracts[tool]!;
      if (!maySee(contract)) continue;
      found.push({ contract, score });
      if (found.length >= 4 * limit) {
        found.sort(byScoreThenId).length = limit;
        threshold = found[limit - 1]!.score;
      }
    }
    return found.sort(byScoreThenId).slice(0, limit);
  }
}

function byScoreThenId(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.contract.id < b.contract.id ? -1 : 1);
}

function largestOf(numbers: Float32Array): number {
  let largest = 0;
  for (const number of numbers) if (number > largest) largest = number;
  return largest;
}

function scale(numbers: Float32Array, factor: number): void {
  for (let i = 0; i < numbers.length; i++) numbers[i]! *= factor;
}
