import { LRUCache } from 'lru-cache';
import { ToolKeys, type ToolNames } from '../catalog/tool-keys.ts';
import { Fault } from '../contract/errors/fault.ts';

/** How often an operation may run; unlimited where absent. */
export interface Limit {
  readonly perMinute?: number | undefined;
  readonly perSession?: number | undefined;
}

/** Limits by a meta-tool such as `tool_execute`, or by a tool's id, its `namespace:name` or a pattern. */
export type Limits = Readonly<Record<string, Limit>>;

/** Whom a limit applies to. Callers choose their session ids, so a new id must not raise the limit per minute. */
export interface QuotaSubject {
  /** Counts per minute belong to the caller, over all of its sessions. */
  readonly caller: string;
  readonly session: string;
}

/** What remains of a limit. */
export interface Remaining {
  readonly scope: string;
  readonly perMinute?: number;
  readonly perSession?: number;
}

interface Counted {
  readonly scope: string;
  readonly limit: Limit;
  readonly remaining: { readonly minute: number; readonly session: number };
  /** Times of the operations in the last minute, oldest first. */
  readonly recent: number[];
  readonly sessionKey: string;
}

const MINUTE_MS = 60_000;
const MAX_COUNTED = 10_000;

/**
 * Counts operations in this process: the last sixty seconds of a caller, and all of a session. The scopes of one call are
 * consumed together or not at all, so a refused call costs nothing.
 */
export class Quota {
  readonly #limits: Limits;
  readonly #toolKeys: ToolKeys;
  readonly #now: () => number;
  readonly #minutes = new LRUCache<string, number[]>({ max: MAX_COUNTED });
  readonly #sessions = new LRUCache<string, number>({ max: MAX_COUNTED });

  constructor(limits: Limits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#toolKeys = new ToolKeys(Object.keys(limits));
    this.#now = now;
  }

  /** The limits that apply to a call of this tool, all of them together. The tools of a pattern share one count. */
  scopesOf(tool: ToolNames): readonly string[] {
    return ['tool_execute', ...this.#toolKeys.matching(tool)];
  }

  /** Refuses with RATE_LIMITED where a limit is reached, and counts nothing: for dry runs. */
  check(subject: QuotaSubject, scopes: readonly string[]): void {
    for (const count of this.#count(subject, scopes)) this.#requireRemaining(count);
  }

  /** Counts one operation, or refuses it with RATE_LIMITED where a limit is reached. */
  consume(subject: QuotaSubject, scopes: readonly string[]): void {
    const counted = this.#count(subject, scopes);
    for (const count of counted) this.#requireRemaining(count);
    for (const { recent, sessionKey } of counted) {
      recent.push(this.#now());
      this.#sessions.set(sessionKey, (this.#sessions.get(sessionKey) ?? 0) + 1);
    }
  }

  remaining(subject: QuotaSubject, scopes: readonly string[]): Remaining[] {
    return this.#count(subject, scopes).map(({ scope, limit, remaining }) => ({
      scope,
      ...(limit.perMinute !== undefined && { perMinute: remaining.minute }),
      ...(limit.perSession !== undefined && { perSession: remaining.session }),
    }));
  }

  #count({ caller, session }: QuotaSubject, scopes: readonly string[]): Counted[] {
    return scopes.flatMap((scope) => {
      const limit = Object.hasOwn(this.#limits, scope) ? this.#limits[scope]! : {};
      const { perMinute = Number.POSITIVE_INFINITY, perSession = Number.POSITIVE_INFINITY } = limit;
      if (Math.min(perMinute, perSession) === Number.POSITIVE_INFINITY) return [];
      const sessionKey = JSON.stringify([session, scope]);
      const recent = this.#recentOf(JSON.stringify([caller, scope]));
      const remaining = {
        minute: Math.max(perMinute - recent.length, 0),
        session: Math.max(perSession - (this.#sessions.get(sessionKey) ?? 0), 0),
      };
      return [{ scope, limit, remaining, recent, sessionKey }];
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

  #requireRemaining({ scope, limit: { perMinute, perSession }, remaining, recent }: Counted): void {
    if (remaining.session === 0) {
      throw new Fault(
        'RATE_LIMITED',
        `Rate limit reached: ${perSession} calls of ${scope} per session. This session cannot make more.`,
        {
          details: { scope },
          effect: 'none',
        },
      );
    }
    if (perMinute === undefined || remaining.minute > 0) return;
    const retryAfterMs = Math.max((recent.at(-perMinute) ?? 0) + MINUTE_MS - this.#now(), 1);
    throw new Fault(
      'RATE_LIMITED',
      `Rate limit reached: ${perMinute} calls of ${scope} per minute. Try again later.`,
      {
        details: { scope, retry_after: Math.ceil(retryAfterMs / 1_000) },
        retryAfterMs,
        effect: 'none',
      },
    );
  }
}
