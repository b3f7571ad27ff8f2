import type { Claim, ClaimStore, Held } from '../../contract/ports/claims.ts';
import type { Receipt } from '../../contract/receipt.ts';
import { type ClaimRow, judge } from '../claim-row.ts';
import { leaseOf } from '../lease.ts';
import { fromStoredText, toStoredText } from '../stored-text.ts';
import type { PostgresConnections } from './open.ts';

export interface PostgresClaims extends ClaimStore {
  close(): Promise<void>;
}

// Keys that nobody asks for again leave rows behind. Now and then a claim clears a few more than have come since.
const SWEEP = 50;
const NOW = 'clock_timestamp()';

export function postgresClaims(db: PostgresConnections, leaseMs: number): PostgresClaims {
  const sql = statementsOn(db.table('toolgate_claims'), db.table('toolgate_nodes'));
  const lease = leaseOf(
    async (node) => void (await db.query({ ...sql.beat, values: [node, leaseMs] })),
    leaseMs,
  );
  /** How many rows it changed. */
  const change = async (statement: { name: string; text: string }, ...values: unknown[]): Promise<number> =>
    (await db.query({ ...statement, values })).length;

  let claims = 0;
  async function claim({ scope, callId, inputHash, windowMs, ifLost, intended }: Claim): Promise<Held> {
    const values = [
      scope,
      toStoredText(callId),
      toStoredText(inputHash),
      lease.node,
      JSON.stringify(ifLost),
      windowMs,
      intended ? 'intended' : 'claimed',
    ];
    const fresh = await db.query<{ scope: string }>({ ...sql.insert, values });
    if (fresh.length === 1) return { state: 'mine' };
    let answer: Held = { state: 'mine' };
    await db.transaction(async (client) => {
      const { rows } = await client.query<ClaimRow>({ ...sql.select, values: [scope] });
      const found = rows[0] ? judge(rows[0]) : 'free';
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
      if (claims++ % SWEEP === 0) await db.query({ ...sql.sweep, values: [2 * SWEEP] });
      return claim(wanted);
    },
    intend: async (scope, callId) => (await change(sql.intend, scope, toStoredText(callId))) === 1,
    seal: async (scope, callId, result) => {
      await change(sql.seal, scope, toStoredText(callId), toStoredText(result));
    },
    release: async (scope, callId) => {
      await change(sql.release, scope, toStoredText(callId));
    },
    doubt: async (scope, callId) => {
      await change(sql.doubt, scope, toStoredText(callId));
    },
    lost: async () => {
      await change(sql.died);
      const rows = await db.query<{ if_lost: string }>({ ...sql.selectLost, values: [] });
      return rows.map(({ if_lost }) => JSON.parse(if_lost) as Receipt);
    },
    told: async (callId) => {
      await change(sql.told, toStoredText(callId));
    },
    unresolved: async (limit) => {
      await change(sql.died);
      const rows = await db.query<{ scope: string; if_lost: string }>({
        ...sql.selectUnknown,
        values: [limit],
      });
      return rows.map(({ scope, if_lost }) => ({ scope, receipt: JSON.parse(if_lost) as Receipt }));
    },
    settle: async (callId, verdict, result) => {
      await change(sql.died);
      const id = toStoredText(callId);
      const settled =
        verdict === 'happened'
          ? await change(sql.settle, id, toStoredText(result))
          : await change(sql.dismiss, id);
      return settled === 1;
    },
    close: async () => {
      await lease.end();
      await db.query({ ...sql.leave, values: [lease.node] });
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
       WHERE scope = $1 AND call_id = $2 AND state IN ('intended', 'unknown', 'done') RETURNING 1`,
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
