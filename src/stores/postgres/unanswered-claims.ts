import { DatabaseError } from 'pg';
import { fromStoredText, toStoredText } from '../shared/stored-text.ts';
import type { NamedStatement } from './claim-statements.ts';
import type { PostgresConnections } from './connections.ts';

// Bounds the memory that an outage of the server can take.
const MAX_UNANSWERED = 1_000;
// Most of these claims were never written. Only a standby that is away for longer can still commit one.
const MAX_AGE_MS = 3_600_000;
/** SQLSTATE class of a connection that an operator ends, which can happen after the commit. */
const OPERATOR_INTERVENTION = '57P';

/**
 * Claims whose statement failed without an answer of the server. Such a statement can wait in the server, for a lock or for
 * a standby, and be committed long after a release found nothing. So the release is repeated with every heartbeat, until it
 * has removed the claim: no key stays held by a call that has ended.
 */
export class UnansweredClaims {
  readonly #db: PostgresConnections;
  readonly #statement: NamedStatement;
  /** When each claim failed, by call id. */
  readonly #failedAt = new Map<string, number>();

  constructor(db: PostgresConnections, statement: NamedStatement) {
    this.#db = db;
    this.#statement = statement;
  }

  /** An error that the server answered with is certain: nothing was written. */
  add(callId: string, error: unknown): void {
    if (error instanceof DatabaseError && !error.code?.startsWith(OPERATOR_INTERVENTION)) return;
    this.#failedAt.set(callId, performance.now());
    if (this.#failedAt.size > MAX_UNANSWERED) this.#failedAt.delete(this.#failedAt.keys().next().value!);
  }

  async release(): Promise<void> {
    if (this.#failedAt.size === 0) return;
    const oldest = performance.now() - MAX_AGE_MS;
    const values = [[...this.#failedAt.keys()].map(toStoredText)];
    const released = await this.#db.query<{ call_id: string }>({ ...this.#statement, values });
    for (const { call_id } of released) this.#failedAt.delete(fromStoredText(call_id));
    for (const [callId, at] of this.#failedAt) if (at < oldest) this.#failedAt.delete(callId);
  }
}
