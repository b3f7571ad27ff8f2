const MINUTE_MS = 60_000;
/** The same window as for alerts and health. */
const WINDOW_MINUTES = 15;

interface Minute {
  readonly since: number;
  hits: number;
  all: number;
}

/** The share of hits among the events of the last 15 minutes, counted by the minute. */
export class RollingRate {
  readonly #minutes: Minute[] = [];

  count(isHit: boolean, now: number): void {
    const since = Math.floor(now / MINUTE_MS);
    let minute = this.#minutes.at(-1);
    // After the clock was set back, events count for the latest minute: minutes must stay in order.
    if (!minute || minute.since < since) {
      minute = { since, hits: 0, all: 0 };
      this.#minutes.push(minute);
      this.#dropOld(since);
    }
    minute.all++;
    if (isHit) minute.hits++;
  }

  /** Undefined where no event was counted in the window. */
  valueAt(now: number): number | undefined {
    this.#dropOld(Math.floor(now / MINUTE_MS));
    let hits = 0;
    let all = 0;
    for (const minute of this.#minutes) {
      hits += minute.hits;
      all += minute.all;
    }
    return all === 0 ? undefined : hits / all;
  }

  #dropOld(present: number): void {
    while (this.#minutes[0] && this.#minutes[0].since <= present - WINDOW_MINUTES) this.#minutes.shift();
  }
}
