import { LRUCache } from 'lru-cache';
import { Fault } from '../contract/errors.ts';

/** How often something may be done. Absent means as often as one likes. */
export interface Limit {
  readonly perMinute?: number | undefined;
  readonly perSession?: number | undefined;
}

/** Limits by what is done: a meta-tool such as `tool_execute`, or a tool by `namespace:name`. */
export type Limits = Readonly<Record<string, Limit>>;

interface Count {
  /** When, in the last minute; oldest first. */
  readonly recent: number[];
  total: number;
}

const MINUTE_MS = 60_000;
const MAX_COUNTED = 10_000;

/**
 * Counts what each session does, in this process: the last sixty seconds at any moment, and all of it. Several scopes of
 * one call are taken together or not at all, so a refused call costs nothing.
 */
export class Quota {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #counts = new LRUCache<string, Count>({ max: MAX_COUNTED });

  constructor(limits: Limits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Refuses with RATE_LIMITED where a limit is reached. A rehearsal is judged and not counted. */
  take(session: string, scopes: readonly string[], isRehearsal = false): void {
    const counted = scopes.flatMap((scope) => {
      const limit = Object.hasOwn(this.#limits, scope) ? this.#limits[scope] : undefined;
      return limit ? [{ scope, limit, count: this.#countOf(JSON.stringify([session, scope])) }] : [];
    });
    for (const { scope, limit, count } of counted) this.#check(scope, limit, count);
    if (isRehearsal) return;
    for (const { count } of counted) {
      count.recent.push(this.#now());
      count.total++;
    }
  }

  #countOf(key: string): Count {
    const count = this.#counts.get(key) ?? { recent: [], total: 0 };
    this.#counts.set(key, count);
    const horizon = this.#now() - MINUTE_MS;
    const expired = count.recent.findIndex((at) => at > horizon);
    count.recent.splice(0, expired < 0 ? count.recent.length : expired);
    return count;
  }

  #check(scope: string, { perMinute, perSession }: Limit, { recent, total }: Count): void {
    if (perSession !== undefined && total >= perSession) {
      throw new Fault('RATE_LIMITED', `${scope}: this session has used all of its ${perSession} calls.`, {
        details: { scope },
        effect: 'nothing',
      });
    }
    if (perMinute === undefined || recent.length < perMinute) return;
    const retryAfterMs = Math.max((recent.at(-perMinute) ?? 0) + MINUTE_MS - this.#now(), 1);
    throw new Fault('RATE_LIMITED', `${scope}: ${perMinute} calls a minute are allowed.`, {
      details: { scope, retry_after: Math.ceil(retryAfterMs / 1_000) },
      retryAfterMs,
      effect: 'nothing',
    });
  }
}
