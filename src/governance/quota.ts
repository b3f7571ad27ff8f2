import { LRUCache } from 'lru-cache';
import { Fault } from '../contract/errors/fault.ts';

/** How often something may be done. Absent means as often as one likes. */
export interface Limit {
  readonly perMinute?: number | undefined;
  readonly perSession?: number | undefined;
}

/** Limits by what is done: a meta-tool such as `tool_execute`, or a tool by `namespace:name`. */
export type Limits = Readonly<Record<string, Limit>>;

/** Who does it. Callers name their sessions themselves, so a new name must not make anything faster. */
export interface QuotaSubject {
  /** What a minute holds is counted for the caller, whatever the session. */
  readonly caller: string;
  readonly session: string;
}

/** What is left of a limit. */
export interface Remaining {
  readonly scope: string;
  readonly per_minute?: number;
  readonly per_session?: number;
}

interface Counted {
  readonly scope: string;
  readonly limit: Limit;
  readonly left: { readonly minute: number; readonly session: number };
  /** When, in the last minute; oldest first. */
  readonly recent: number[];
  readonly sessionKey: string;
}

const MINUTE_MS = 60_000;
const MAX_COUNTED = 10_000;

/**
 * Counts what is done, in this process: the last sixty seconds of a caller at any moment, and all of a session. Several
 * scopes of one call are taken together or not at all, so a refused call costs nothing.
 */
export class Quota {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #minutes = new LRUCache<string, number[]>({ max: MAX_COUNTED });
  readonly #sessions = new LRUCache<string, number>({ max: MAX_COUNTED });

  constructor(limits: Limits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Refuses with RATE_LIMITED where a limit is reached. A rehearsal is judged and not counted. */
  consume(whose: QuotaSubject, scopes: readonly string[], isRehearsal = false): void {
    const counted = this.#count(whose, scopes);
    for (const count of counted) this.#check(count);
    if (isRehearsal) return;
    for (const { recent, sessionKey } of counted) {
      recent.push(this.#now());
      this.#sessions.set(sessionKey, (this.#sessions.get(sessionKey) ?? 0) + 1);
    }
  }

  remaining(whose: QuotaSubject, scopes: readonly string[]): Remaining[] {
    return this.#count(whose, scopes).map(({ scope, limit, left }) => ({
      scope,
      ...(limit.perMinute !== undefined && { per_minute: left.minute }),
      ...(limit.perSession !== undefined && { per_session: left.session }),
    }));
  }

  #count({ caller, session }: QuotaSubject, scopes: readonly string[]): Counted[] {
    return scopes.flatMap((scope) => {
      const limit = Object.hasOwn(this.#limits, scope) ? this.#limits[scope]! : {};
      const { perMinute = Number.POSITIVE_INFINITY, perSession = Number.POSITIVE_INFINITY } = limit;
      if (Math.min(perMinute, perSession) === Number.POSITIVE_INFINITY) return [];
      const sessionKey = JSON.stringify([session, scope]);
      const recent = this.#recentOf(JSON.stringify([caller, scope]));
      const left = {
        minute: Math.max(perMinute - recent.length, 0),
        session: Math.max(perSession - (this.#sessions.get(sessionKey) ?? 0), 0),
      };
      return [{ scope, limit, left, recent, sessionKey }];
    });
  }

  #recentOf(key: string): number[] {
    const recent = this.#minutes.get(key) ?? [];
    this.#minutes.set(key, recent);
    const horizon = this.#now() - MINUTE_MS;
    const expired = recent.findIndex((at) => at > horizon);
    recent.splice(0, expired < 0 ? recent.length : expired);
    return recent;
  }

  #check({ scope, limit: { perMinute, perSession }, left, recent }: Counted): void {
    if (left.session === 0) {
      throw new Fault('RATE_LIMITED', `${scope}: this session has used all of its ${perSession} calls.`, {
        details: { scope },
        effect: 'none',
      });
    }
    if (perMinute === undefined || left.minute > 0) return;
    const retryAfterMs = Math.max((recent.at(-perMinute) ?? 0) + MINUTE_MS - this.#now(), 1);
    throw new Fault('RATE_LIMITED', `${scope}: ${perMinute} calls a minute are allowed.`, {
      details: { scope, retry_after: Math.ceil(retryAfterMs / 1_000) },
      retryAfterMs,
      effect: 'none',
    });
  }
}
