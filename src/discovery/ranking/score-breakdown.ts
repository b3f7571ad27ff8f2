import type { RankingSignal } from '../../contract/browse.ts';

/** Records how many points each signal added to the score of one tool. */
export class ScoreBreakdown {
  readonly #tool: number;
  readonly #points = new Map<RankingSignal, number>();
  #total = 0;

  constructor(tool: number) {
    this.#tool = tool;
  }

  /** Credits the change of the score since the previous call to this signal. */
  record(signal: RankingSignal, scores: Float32Array): void {
    const score = scores[this.#tool]!;
    this.#points.set(signal, (this.#points.get(signal) ?? 0) + score - this.#total);
    this.#total = score;
  }

  /** Must be called when all scores are multiplied by a factor. */
  scale(factor: number): void {
    for (const [signal, points] of this.#points) this.#points.set(signal, points * factor);
    this.#total *= factor;
  }

  get points(): ReadonlyMap<RankingSignal, number> {
    return this.#points;
  }
}
