import type { Database } from 'better-sqlite3';
import type { Claim, ClaimStore, Held } from '../../contract/ports/claims.ts';
import type { Receipt } from '../../contract/receipt.ts';
import { type ClaimRow, judge } from '../claim-row.ts';
import { leaseOf } from '../lease.ts';
import { fromStoredText, toStoredText } from '../stored-text.ts';
import { writtenInTheEnd } from '../written-in-the-end.ts';
import type { WriteQueue } from './write-queue.ts';

export interface SqliteClaims extends ClaimStore {
  close(): Promise<void>;
}

// Keys that nobody asks for again leave rows behind. Now and then a claim walks along a few more rows than have come since.
const SWEEP = 50;
const ROWS_A_SWEEP = 4 * SWEEP;
// A process that was killed leaves its row: once it has been silent for so long and nothing of it is open, nobody needs it.
const LONG_DEAD_S = 3_600;
const NOW = `unixepoch('subsec')`;
// In the words of the index of open keys: SQLite does not conclude them from the state that is asked for.
const IS_OPEN = `state <> 'done'`;
const IS_HELD = `EXISTS (SELECT 1 FROM toolgate_nodes WHERE node = held.node AND alive_until > ${NOW})`;

export function sqliteClaims(
  db: Database,
  { leaseMs, queue }: { readonly leaseMs: number; readonly queue: WriteQueue },
): SqliteClaims {
  const beat = db.prepare<[string, number]>(
    `INSERT INTO toolgate_nodes (node, alive_until) VALUES (?, ${NOW} + ? / 1000.0)
     ON CONFLICT (node) DO UPDATE SET alive_until = excluded.alive_until`,
  );
  const leave = db.prepare<[string]>('DELETE FROM toolgate_nodes WHERE node = ?');
  const walk = db.prepare<[number, number], { seq: number; is_over: number }>(
    `SELECT seq, state = 'done' AND expires_at <= ${NOW} AS is_over
     FROM toolgate_claims WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const clear = db.prepare<[number]>('DELETE FROM toolgate_claims WHERE seq = ?');
  const sweepNodes = db.prepare<[]>(
    `DELETE FROM toolgate_nodes AS gone WHERE alive_until < ${NOW} - ${LONG_DEAD_S}
       AND NOT EXISTS (SELECT 1 FROM toolgate_claims WHERE ${IS_OPEN} AND node = gone.node)`,
  );
  const insert = db.prepare(
    `INSERT INTO toolgate_claims (scope, call_id, input_hash, state, node, if_lost, expires_at, window_ms)
     VALUES (@scope, @callId, @inputHash, @state, @node, @ifLost, 0, @windowMs) ON CONFLICT (scope) DO NOTHING`,
  );
  const select = db.prepare<[string], ClaimRow>(
    `SELECT call_id, input_hash, state, result, ${IS_HELD} AS is_held, expires_at <= ${NOW} AS is_over
     FROM toolgate_claims AS held WHERE scope = ?`,
  );
  const remove = db.prepare<[string]>('DELETE FROM toolgate_claims WHERE scope = ?');
  const change = {
    intend: db.prepare<[string, string]>(
      `UPDATE toolgate_claims SET state = 'intended' WHERE scope = ? AND call_id = ? AND state = 'claimed'`,
    ),
    seal: db.prepare<[string, string, string]>(
      `UPDATE toolgate_claims SET state = 'done', told = 1, result = ?, expires_at = ${NOW} + window_ms / 1000.0
       WHERE scope = ? AND call_id = ?`,
    ),
    release: db.prepare<[string, string]>(
      `DELETE FROM toolgate_claims WHERE scope = ? AND call_id = ? AND state IN ('claimed', 'intended', 'unknown')`,
    ),
    doubt: db.prepare<[string, string]>(
      `UPDATE toolgate_claims SET state = 'unknown', told = 1
       WHERE scope = ? AND call_id = ? AND state IN ('intended', 'unknown')`,
    ),
    died: db.prepare<[]>(
      `UPDATE toolgate_claims AS held SET state = 'unknown'
       WHERE ${IS_OPEN} AND state = 'intended' AND NOT ${IS_HELD}`,
    ),
    told: db.prepare<[string]>(`UPDATE toolgate_claims SET told = 1 WHERE ${IS_OPEN} AND call_id = ?`),
    settle: db.prepare<[string, string]>(
      `UPDATE toolgate_claims SET state = 'done', result = ?, expires_at = ${NOW} + window_ms / 1000.0
       WHERE ${IS_OPEN} AND state = 'unknown' AND call_id = ?`,
    ),
    dismiss: db.prepare<[string]>(
      `DELETE FROM toolgate_claims WHERE ${IS_OPEN} AND state = 'unknown' AND call_id = ?`,
    ),
  };
  const selectLost = db
    .prepare<[], string>(
      `SELECT if_lost FROM toolgate_claims WHERE ${IS_OPEN} AND state = 'unknown' AND told = 0 ORDER BY seq`,
    )
    .pluck();
  const selectUnknown = db.prepare<[number], { scope: string; if_lost: string }>(
    `SELECT scope, if_lost FROM toolgate_claims WHERE ${IS_OPEN} AND state = 'unknown' ORDER BY seq LIMIT ?`,
  );

  const ends = writtenInTheEnd({
    seal: async (scope, callId, result) => {
      await queue.write(() => change.seal.run(toStoredText(result), scope, toStoredText(callId)));
    },
    release: async (scope, callId) => {
      await queue.write(() => change.release.run(scope, toStoredText(callId)));
    },
    doubt: async (scope, callId) => {
      await queue.write(() => change.doubt.run(scope, toStoredText(callId)));
    },
  });
  const lease = leaseOf(async (node) => {
    beat.run(node, leaseMs);
    await ends.again();
  }, leaseMs);
  let walkedTo = 0;
  const sweep = (): void => {
    const rows = walk.all(walkedTo, ROWS_A_SWEEP);
    for (const { seq, is_over } of rows) if (is_over) clear.run(seq);
    walkedTo = rows.length < ROWS_A_SWEEP ? 0 : rows.at(-1)!.seq;
    sweepNodes.run();
  };
  let claims = 0;
  const claim = ({ scope, callId, inputHash, windowMs, ifLost, intended }: Claim): Held => {
    if (claims++ % SWEEP === 0) sweep();
    const row = {
      scope,
      callId: toStoredText(callId),
      inputHash: toStoredText(inputHash),
      state: intended ? 'intended' : 'claimed',
      node: lease.node,
      ifLost: JSON.stringify(ifLost),
      windowMs,
    };
    if (insert.run(row).changes === 1) return { state: 'mine' };
    const held = select.get(scope)!;
    const found = judge(held);
    if (found === 'died') {
      change.died.run();
      return {
        state: 'unknown',
        callId: fromStoredText(held.call_id),
        inputHash: fromStoredText(held.input_hash),
      };
    }
    if (found !== 'free') return found;
    remove.run(scope);
    insert.run(row);
    return { state: 'mine' };
  };
  const findLost = db.transaction((): Receipt[] => {
    change.died.run();
    return selectLost.all().map((text) => JSON.parse(text) as Receipt);
  });

  return {
    claim: async (wanted) => {
      await lease.hold();
      return queue.write(() => claim(wanted));
    },
    intend: (scope, callId) =>
      queue.write(() => change.intend.run(scope, toStoredText(callId)).changes === 1),
    seal: ends.seal,
    release: ends.release,
    doubt: ends.doubt,
    lost: async () => findLost.immediate(),
    told: async (callId) => {
      change.told.run(toStoredText(callId));
    },
    unresolved: async (limit) => {
      change.died.run();
      return selectUnknown
        .all(limit)
        .map(({ scope, if_lost }) => ({ scope, receipt: JSON.parse(if_lost) as Receipt }));
    },
    settle: async (callId, verdict, result) => {
      const id = toStoredText(callId);
      change.died.run();
      const { changes } =
        verdict === 'happened' ? change.settle.run(toStoredText(result), id) : change.dismiss.run(id);
      return changes === 1;
    },
    close: async () => {
      await lease.end();
      await ends.again();
      if (db.open) leave.run(lease.node);
    },
  };
}
