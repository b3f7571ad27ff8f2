import type { RankingSignal, ScoreExplanation } from '../../contract/browse.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { clausesOf } from './clauses.ts';
import { VectorRows } from './dot-products.ts';
import { ExampleOverlay, type ToolExamples } from './examples.ts';
import { featuresOf, type ToolFeatures } from './features.ts';
import { LexicalIndex } from './lexical-index.ts';
import { findPhrases, synonymsOf } from './lexicon.ts';
import { ScoreBreakdown } from './score-breakdown.ts';
import type { Work } from './turns.ts';
import type { WordVectors } from './word-vectors.ts';
import { isStopWord, plainWordsOf, searchWords } from './words.ts';

export interface Ranked {
  readonly contract: ToolContract;
  readonly score: number;
  /** The part of a request for several things that it answers best; absent where the request asks for one. */
  readonly clause?: string;
}

export interface RankOptions {
  readonly maySee?: (contract: ToolContract) => boolean;
  /** What is known of past requests, for this caller. */
  readonly examples?: ExampleOverlay | undefined;
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

interface Found {
  readonly tool: number;
  readonly contract: ToolContract;
  readonly score: number;
}

const TOOLS_A_PIECE = 10;

export const WEIGHTS: RankingWeights = { lexicon: 0.4, meaning: 6, namespace: 0.3, clauses: 1 };

/** Short requests leave most to meaning; long ones repeat the tool's own words. */
const SHORT_REQUEST = 6;
const LEAST_SHARE = 0.15;
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

  /** Lays examples over this index. They stay apart from it, so each caller can have its own. */
  overlay(examples: readonly ToolExamples[]): Work<ExampleOverlay> {
    return ExampleOverlay.of(examples, {
      contracts: this.#contracts,
      words: this.#words,
      vectors: this.#vectors,
    });
  }

  /** Best first, at most `limit`, only tools that something speaks for. */
  rank(request: string, limit: number, { maySee = () => true, examples }: RankOptions = {}): Ranked[] {
    const scores = this.#scores(request, examples);
    const clauses = this.#clausesOf(request);
    const answers = clauses.length > 1 ? this.#addClauses(clauses, scores, examples) : undefined;
    return this.#best(scores, limit, maySee).map(({ tool, contract, score }) => ({
      contract,
      score,
      ...(answers && { clause: clauses[answers[tool]!]! }),
    }));
  }

  explain(request: string, contract: ToolContract, { examples }: RankOptions = {}): ScoreExplanation {
    const tool = this.#contracts.indexOf(contract);
    const ledger = new ScoreBreakdown(tool);
    const scores = this.#scores(request, examples, ledger);
    const clauses = this.#clausesOf(request);
    if (clauses.length > 1) this.#addClauses(clauses, scores, examples, ledger);
    const { weights } = featuresOf(contract, undefined);
    const words = wordsOfRequest(request);
    const found: Partial<Record<RankingSignal, readonly string[]>> = {
      words: words.filter((word) => weights.has(word)),
      'other words': words.flatMap((word) =>
        synonymsOf(word)
          .filter((other) => weights.has(other) && !words.includes(other))
          .map((other) => `${word} → ${other}`),
      ),
    };
    return {
      score: rounded(scores[tool]!),
      signals: [...ledger.points]
        .filter(([, points]) => rounded(points) !== 0)
        .map(([signal, points]) => ({ signal, points: rounded(points), because: found[signal] ?? [] })),
    };
  }

  #clausesOf(request: string): readonly string[] {
    return this.#weights.clauses > 0 ? clausesOf(request) : [request];
  }

  #scores(request: string, examples: ExampleOverlay | undefined, ledger?: ScoreBreakdown): Float32Array {
    const plain = plainWordsOf(request);
    const words = wordsOfRequest(request);
    const scores = new Float32Array(this.#contracts.length);
    for (const word of words) this.#words.add(word, scores);
    ledger?.enter('words', scores);
    for (const word of words) examples?.add(word, scores);
    ledger?.enter('examples', scores);
    const strongest = largestOf(scores) || 1;
    const share = Math.min(Math.max(SHORT_REQUEST / Math.max(words.length, 1), LEAST_SHARE), 1);
    for (const others of [...words.map(synonymsOf), ...findPhrases(plain)]) {
      const unsaid = others.filter((other) => !words.includes(other));
      this.#words.addBest(unsaid, share * this.#weights.lexicon, scores);
    }
    ledger?.enter('other words', scores);
    scale(scores, 1 / strongest);
    ledger?.scale(1 / strongest);
    this.#addMeaning(plain, share * this.#weights.meaning, scores, examples);
    ledger?.enter('meaning', scores);
    this.#addNamespaces(share, scores);
    ledger?.enter('namespace', scores);
    return scores;
  }

  #addMeaning(
    plain: readonly string[],
    weight: number,
    scores: Float32Array,
    examples: ExampleOverlay | undefined,
  ): void {
    if (!this.#vectors || !this.#meanings) return;
    const similar = new Float32Array(scores.length);
    const query = this.#vectors.embed(plain.filter((word) => !isStopWord(word)));
    this.#meanings.similarities(query, similar);
    examples?.turn(query, similar);
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

  /** Each part of a long request gets its say: a tool that answers one of them well is wanted. Tells which that is. */
  #addClauses(
    clauses: readonly string[],
    scores: Float32Array,
    examples: ExampleOverlay | undefined,
    ledger?: ScoreBreakdown,
  ): Uint16Array {
    const whole = 1 / (largestOf(scores) || 1);
    scale(scores, whole);
    ledger?.scale(whole);
    const best = new Float32Array(scores.length);
    const answers = new Uint16Array(scores.length);
    for (const [number, clause] of clauses.entries()) {
      const part = this.#scores(clause, examples);
      const factor = 1 / (largestOf(part) || 1);
      for (let tool = 0; tool < part.length; tool++) {
        if (part[tool]! * factor <= best[tool]!) continue;
        best[tool] = part[tool]! * factor;
        answers[tool] = number;
      }
    }
    for (let tool = 0; tool < scores.length; tool++) scores[tool]! += this.#weights.clauses * best[tool]!;
    ledger?.enter('clauses', scores);
    return answers;
  }

  #best(scores: Float32Array, limit: number, maySee: (contract: ToolContract) => boolean): Found[] {
    const found: Found[] = [];
    let threshold = 0;
    for (let tool = 0; tool < scores.length; tool++) {
      const score = rounded(scores[tool]!);
      if (score <= 0 || score < threshold) continue;
      const contract = this.#contracts[tool]!;
      if (!maySee(contract)) continue;
      found.push({ tool, contract, score });
      if (found.length >= 4 * limit) {
        found.sort(byScoreThenId).length = limit;
        threshold = found[limit - 1]!.score;
      }
    }
    return found.sort(byScoreThenId).slice(0, limit);
  }
}

function wordsOfRequest(request: string): string[] {
  return [...new Set(searchWords(plainWordsOf(request)))];
}

function rounded(score: number): number {
  return Math.round(score * SCORE_STEPS) / SCORE_STEPS;
}

function byScoreThenId(a: Found, b: Found): number {
  return b.score - a.score || (a.contract.id < b.contract.id ? -1 : 1);
}

function largestOf(numbers: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < numbers.length; i++) if (numbers[i]! > largest) largest = numbers[i]!;
  return largest;
}

function scale(numbers: Float32Array, factor: number): void {
  for (let i = 0; i < numbers.length; i++) numbers[i]! *= factor;
}
