/** How many are dealt with before the event loop has its turn. */
const AT_ONCE = 32;

/** Deals with things in their order and after the answers that are on their way: no caller waits for what is told of it. */
export class Afterwards<Thing> {
  readonly #deal: (thing: Thing) => void;
  readonly #waiting: Thing[] = [];

  constructor(deal: (thing: Thing) => void) {
    this.#deal = deal;
  }

  add(thing: Thing): void {
    this.#waiting.push(thing);
    if (this.#waiting.length === 1) setImmediate(() => this.#dealWithSome());
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
