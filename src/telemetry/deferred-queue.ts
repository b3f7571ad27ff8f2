/** Nobody looks at a trace sooner; and work of one kind done in a row costs less than the same work in between calls. */
const DELAY_MS = 100;
/** How many are dealt with before the event loop has its turn. */
const AT_ONCE = 32;

/** Deals with things in their order, a while later: no caller waits for what is told of its call. */
export class DeferredQueue<Thing> {
  readonly #deal: (thing: Thing) => void;
  readonly #waiting: Thing[] = [];

  constructor(deal: (thing: Thing) => void) {
    this.#deal = deal;
  }

  add(thing: Thing): void {
    this.#waiting.push(thing);
    // Whoever ends in between has to finish; the process need not stay for it.
    if (this.#waiting.length === 1) setTimeout(() => this.#dealWithSome(), DELAY_MS).unref();
  }

  /** With all that is left, at once. */
  finish(): void {
    for (const thing of this.#waiting.splice(0)) this.#tryTo(thing);
  }

  #dealWithSome(): void {
    const some = this.#waiting.splice(0, AT_ONCE);
    if (this.#waiting.length > 0) setImmediate(() => this.#dealWithSome());
    for (const thing of some) this.#tryTo(thing);
  }

  #tryTo(thing: Thing): void {
    try {
      this.#deal(thing);
    } catch {
      // As where it is called from: it must not break a call, and there is nobody left to tell.
    }
  }
}
