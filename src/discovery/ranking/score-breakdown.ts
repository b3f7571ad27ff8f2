/** What can speak for a tool. */
export type Signal = 'words' | 'other words' | 'examples' | 'meaning' | 'namespace' | 'clauses';

/** Keeps account of how one tool came by its score. */
export class ScoreBreakdown {
  readonly #tool: number;
  readonly #points = new Map<Signal, number>();
  #total = 0;

  constructor(tool: number) {
    this.#tool = tool;
  }

  /** Whatever the tool has gained since the last entry came from this signal. */
  enter(signal: Signal, scores: Float32Array): void {
    const now = scores[this.#tool]!;
    this.#points.set(signal, (this.#points.get(signal) ?? 0) + now - this.#total);
    this.#total = now;
  }

  /** All scores were multiplied. */
  scale(factor: number): void {
    for (const [signal, points] of this.#points) this.#points.set(signal, points * factor);
    this.#total *= factor;
  }

  get points(): ReadonlyMap<Signal, number> {
    return this.#points;
  }
}
