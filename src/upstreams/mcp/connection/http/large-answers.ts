/** An answer whose bytes can be left in the socket for a while. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** Below this size an answer is buffered at once, however many there are. */
export const SMALL_ANSWER_BYTES = 1_048_576;
const MAX_BUFFERED = 2;

/**
 * Limits how many large answers of one upstream are in memory at the same time, while they come in. The others wait: many
 * slow answers just below the size limit would need more memory than the gateway has.
 */
export class LargeAnswers {
  readonly #buffered = new Set<Pausable>();
  readonly #waiting = new Set<Pausable>();

  begin(answer: Pausable): void {
    if (this.#buffered.size < MAX_BUFFERED) {
      this.#buffered.add(answer);
      return;
    }
    this.#waiting.add(answer);
    answer.pause();
  }

  end(answer: Pausable): void {
    this.#waiting.delete(answer);
    const [next] = this.#waiting;
    if (!this.#buffered.delete(answer) || !next) return;
    this.#waiting.delete(next);
    this.#buffered.add(next);
    next.resume();
  }
}
