import type { Claim, ClaimResult, IdempotencyStore } from '../../contract/ports/idempotency-store.ts';
import { type ClaimRow, claimResultOf } from '../shared/claim-row.ts';
import { leaseOf } from '../shared/lease.ts';
import { packReceipt, unpackReceipt } from '../shared/packed-receipt.ts';
import { retriedWrites } from '../shared/retried-writes.ts';
import { fromStoredText, toStoredText } from '../shared/stored-text.ts';
import type { PostgresConnections } from './connections.ts';

export interface PostgresIdempotencyStore extends IdempotencyStore {
  close(): Promise<void>;
}

// Keys that nobody asks for again leave rows behind. Now and then a claim clears a few more than have come since.
const SWEEP = 50;
// A process that was killed leaves its row: once it has been silent for so long and nothing of it is open, nobody needs it.
const LONG_DEAD = `interval '1 hour'`;
const NOW = 'clock_timestamp()';

export function postgresIdempotency(db: PostgresConnections, leaseMs: number): PostgresIdempotencyStore {
  const sql = statementsOn(db.table('toolgate_claims'), db.table('toolgate_nodes'));
  /** How many rows it changed. */
  const change = async (statement: { name: string; text: string }, ...values: unknown[]): Promise<number> =>
    (await db.query({ ...statement, values })).length;
  const ends = retriedWrites({
    complete: async (scope, callId, result) => {
      await change(sql.seal, scope, toStoredText(callId), toStoredText(result));
    },
    release: async (scope, callId) => {
      await change(sql.release, scope, toStoredText(callId));
    },
    markUnknown: async (scope, callId) => {
      await change(sql.doubt, scope, toStoredText(callId));
    },
  });
  const lease = leaseOf(async (node) => {
    await change(sql.beat, node, leaseMs);
    await ends.retryPending();
  }, leaseMs);

  let claims = 0;
  async function claim({
    scope,
    callId,
    inputHash,
    windowMs,
    crashReceipt,
    hasIntent,
  }: Claim): Promise<ClaimResult> {
    const values = [
      scope,
      toStoredText(callId),
      toStoredText(inputHash),
      lease.node,
      packReceipt(crashReceipt),
      windowMs,
      hasIntent ? 'intended' : 'claimed',
    ];
    const fresh = await db.query<{ scope: string }>({ ...sql.insert, values });
    if (fresh.length === 1) return { state: 'acquired' };
    let answer: ClaimResult = { state: 'acquired' };
    await db.transaction(async (client) => {
      const { rows } = await client.query<ClaimRow>({ ...sql.select, values: [scope] });
      const found = rows[0] ? claimResultOf(rows[0]) : 'free';
      if (found === 'free') {
        // By its call: under the same key there may by now be another's, made since this one was read.
        if (rows[0]) await client.query({ ...sql.remove, values: [scope, rows[0].call_id] });
        const { rowCount } = await client.query({ ...sql.insert, values });
        // Somebody else came between: what they hold is told at the next look.
        if (rowCount === 0) answer = { state: 'running', callId, inputHash };
      } else if (found === 'died') {
        const { call_id: held, input_hash: hash } = rows[0]!;
        await client.query({ ...sql.diedOne, values: [scope, held] });
        answer = { state: 'unknown', callId: fromStoredText(held), inputHash: fromStoredText(hash) };
      } else answer = found;
    });
    return answer;
  }

  return {
    claim: async (wanted) => {
      await lease.hold();
      if (claims++ % SWEEP === 0) {
        await change(sql.sweep, 2 * SWEEP);
        await change(sql.sweepNodes);
      }
      return claim(wanted);
    },
    recordIntent: async (scope, callId) => (await change(sql.intend, scope, toStoredText(callId))) === 1,
    complete: ends.complete,
    release: ends.release,
    markUnknown: ends.markUnknown,
    findLost: async () => {
      await change(sql.died);
      const rows = await db.query<{ if_lost: string }>({ ...sql.selectLost, values: [] });
      return rows.map(({ if_lost }) => unpackReceipt(if_lost));
    },
    markReported: async (callId) => {
      await change(sql.told, toStoredText(callId));
    },
    listUnresolved: async (limit) => {
      await change(sql.died);
      const rows = await db.query<{ scope: string; if_lost: string }>({
        ...sql.selectUnknown,
        values: [limit],
      });
      return rows.map(({ scope, if_lost }) => ({ scope, receipt: unpackReceipt(if_lost) }));
    },
    resolve: async (callId, verdict, result) => {
      await change(sql.died);
      const id = toStoredText(callId);
      const settled =
        verdict === 'executed'
          ? await change(sql.settle, id, toStoredText(result))
          : await change(sql.dismiss, id);
      return settled === 1;
    },
    close: async () => {
      await lease.end();
      await ends.retryPending();
      // A goodbye that does not come through is what a lease is for.
      await change(sql.leave, lease.node).catch(() => {});
    },
  };
}

function statementsOn(claims: string, nodes: string) {
  const isHeld = `EXISTS (SELECT 1 FROM ${nodes} WHERE node = held.node AND alive_until > ${NOW})`;
  const window = `${NOW} + make_interval(secs => window_ms / 1000)`;
  const named = (name: string, text: string) => ({ name: `toolgate_claims_${name}`, text });
  return {
    beat: named(
      'beat',
      `INSERT INTO ${nodes} (node, alive_until) VALUES ($1, ${NOW} + make_interval(secs => $2::double precision / 1000))
       ON CONFLICT (node) DO UPDATE SET alive_until = excluded.alive_until`,
    ),
    leave: named('leave', `DELETE FROM ${nodes} WHERE node = $1`),
    sweep: named(
      'sweep',
      `DELETE FROM ${claims} WHERE scope IN
         (SELECT scope FROM ${claims} WHERE state = 'done' AND expires_at <= now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    ),
    // Two nodes that sweep at once must not wait for each other's rows.
    sweepNodes: named(
      'sweep_nodes',
      `DELETE FROM ${nodes} WHERE node IN
         (SELECT node FROM ${nodes} AS gone WHERE alive_until < ${NOW} - ${LONG_DEAD}
            AND NOT EXISTS (SELECT 1 FROM ${claims} WHERE state <> 'done' AND node = gone.node)
          FOR UPDATE SKIP LOCKED)`,
    ),
    insert: named(
      'insert',
      `INSERT INTO ${claims} (scope, call_id, input_hash, state, node, if_lost, window_ms)
       VALUES ($1, $2, $3, $7, $4, $5, $6) ON CONFLICT (scope) DO NOTHING RETURNING scope`,
    ),
    // The lock makes two that both find a dead one's key take turns.
    select: named(
      'select',
      `SELECT call_id, input_hash, state, result, ${isHeld} AS is_held, coalesce(expires_at <= ${NOW}, false) AS is_over
       FROM ${claims} AS held WHERE scope = $1 FOR UPDATE`,
    ),
    remove: named('remove', `DELETE FROM ${claims} WHERE scope = $1 AND call_id = $2`),
    intend: named(
      'intend',
      `UPDATE ${claims} SET state = 'intended' WHERE scope = $1 AND call_id = $2 AND state = 'claimed' RETURNING 1`,
    ),
    seal: named(
      'seal',
      `UPDATE ${claims} SET state = 'done', told = true, result = $3, expires_at = ${window}
       WHERE scope = $1 AND call_id = $2 RETURNING 1`,
    ),
    release: named(
      'release',
      `DELETE FROM ${claims} WHERE scope = $1 AND call_id = $2 AND state IN ('claimed', 'intended', 'unknown') RETURNING 1`,
    ),
    doubt: named(
      'doubt',
      `UPDATE ${claims} SET state = 'unknown', told = true
       WHERE scope = $1 AND call_id = $2 AND state IN ('intended', 'unknown') RETURNING 1`,
    ),
    diedOne: named(
      'died_one',
      `UPDATE ${claims} SET state = 'unknown' WHERE scope = $1 AND call_id = $2 AND state = 'intended'`,
    ),
    // Never waits for a row, so it cannot deadlock with a claim that holds one; what it skips is found at the next look.
    died: named(
      'died',
      `UPDATE ${claims} SET state = 'unknown' WHERE scope IN
         (SELECT scope FROM ${claims} AS held WHERE state = 'intended' AND NOT ${isHeld} FOR UPDATE SKIP LOCKED)
       RETURNING 1`,
    ),
    told: named('told', `UPDATE ${claims} SET told = true WHERE call_id = $1 RETURNING 1`),
    selectLost: named(
      'lost',
      `SELECT if_lost FROM ${claims} WHERE state = 'unknown' AND NOT told ORDER BY seq`,
    ),
    selectUnknown: named(
      'unknown',
      `SELECT scope, if_lost FROM ${claims} WHERE state = 'unknown' ORDER BY seq LIMIT $1`,
    ),
    settle: named(
      'settle',
      `UPDATE ${claims} SET state = 'done', result = $2, expires_at = ${window}
       WHERE call_id = $1 AND state = 'unknown' RETURNING 1`,
    ),
    dismiss: named('dismiss', `DELETE FROM ${claims} WHERE call_id = $1 AND state = 'unknown' RETURNING 1`),
  };
}
