export interface BatchSenderOptions<Thing> {
  /** What it fails to send is lost. */
  readonly send: (things: readonly Thing[]) => Promise<void>;
  /** How many go together. */
  readonly atOnce: number;
  /** What comes while so many wait is lost. */
  readonly atMost: number;
  /** How long one waits for others to go with. */
  readonly delayMs: number;
}

/** Sends things many at a time and in their order: when there are enough of them, or some have waited for a while. */
export class BatchSender<Thing> {
  readonly #options: BatchSenderOptions<Thing>;
  #waiting: Thing[] = [];
  #later: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: BatchSenderOptions<Thing>) {
    this.#options = options;
  }

  add(thing: Thing): void {
    if (this.#waiting.length >= this.#options.atMost) return;
    this.#waiting.push(thing);
    this.#sendWhenDue();
  }

  /** Sends what is left, all at once: there may not be time for one after the other. */
  async close(): Promise<void> {
    const { send, atOnce } = this.#options;
    clearTimeout(this.#later);
    const rest: Promise<void>[] = [];
    while (this.#waiting.length > 0) rest.push(send(this.#waiting.splice(0, atOnce)));
    await Promise.allSettled([this.#sending, ...rest]);
  }

  /** One sending at a time: whoever is slow is not sent more at once for it. */
  #sendWhenDue(): void {
    if (this.#sending || this.#waiting.length === 0) return;
    if (this.#waiting.length >= this.#options.atOnce) this.#sendSome();
    // The process need not stay for it: whoever ends closes.
    else this.#later ??= setTimeout(() => this.#sendSome(), this.#options.delayMs).unref();
  }

  #sendSome(): void {
    const { send, atOnce } = this.#options;
    clearTimeout(this.#later);
    this.#later = undefined;
    const goOn = (): void => {
      this.#sending = undefined;
      this.#sendWhenDue();
    };
    this.#sending = send(this.#waiting.splice(0, atOnce)).then(goOn, goOn);
  }
}
