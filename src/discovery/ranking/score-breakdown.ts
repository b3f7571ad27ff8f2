import type { RankingSignal } from '../../contract/browse.ts';

/** Keeps account of how one tool came by its score. */
export class ScoreBreakdown {
  readonly #tool: number;
  readonly #points = new Map<RankingSignal, number>();
  #total = 0;

  constructor(tool: number) {
    this.#tool = tool;
  }

  /** Whatever the tool has gained since the last entry came from this signal. */
  enter(signal: RankingSignal, scores: Float32Array): void {
    const now = scores[this.#tool]!;
    this.#points.set(signal, (this.#points.get(signal) ?? 0) + now - this.#total);
    this.#total = now;
  }

  /** All scores were multiplied. */
  scale(factor: number): void {
    for (const [signal, points] of this.#points) this.#points.set(signal, points * factor);
    this.#total *= factor;
  }

  get points(): ReadonlyMap<RankingSignal, number> {
    return this.#points;
  }
}
