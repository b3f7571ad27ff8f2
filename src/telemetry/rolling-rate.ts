const MINUTE_MS = 60_000;
/** As long as the window over which alerts and health are judged. */
const WINDOW_MINUTES = 15;

interface Minute {
  readonly since: number;
  hits: number;
  all: number;
}

/** What share of the calls of the last quarter of an hour was of some kind. */
export class RollingRate {
  readonly #minutes: Minute[] = [];

  count(isHit: boolean, now: number): void {
    const since = Math.floor(now / MINUTE_MS);
    let minute = this.#minutes.at(-1);
    // A clock that was set back must not open a minute behind others.
    if (!minute || minute.since < since) {
      minute = { since, hits: 0, all: 0 };
      this.#minutes.push(minute);
      this.#forget(since);
    }
    minute.all++;
    if (isHit) minute.hits++;
  }

  /** Undefined where there was no call: nothing of nothing is no rate. */
  at(now: number): number | undefined {
    this.#forget(Math.floor(now / MINUTE_MS));
    let hits = 0;
    let all = 0;
    for (const minute of this.#minutes) {
      hits += minute.hits;
      all += minute.all;
    }
    return all === 0 ? undefined : hits / all;
  }

  #forget(present: number): void {
    while (this.#minutes[0] && this.#minutes[0].since <= present - WINDOW_MINUTES) this.#minutes.shift();
  }
}
