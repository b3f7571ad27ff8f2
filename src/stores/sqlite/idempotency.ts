import type { Database } from 'better-sqlite3';
import type { Receipt } from '../../contract/call/receipt.ts';
import type {
  Claim,
  ClaimResult,
  IdempotencyStore,
  Resolution,
} from '../../contract/ports/idempotency-store.ts';
import { type ClaimRow, type ClaimState, claimResultOf } from '../shared/claim-row.ts';
import { leaseOf } from '../shared/lease.ts';
import { packReceipt, unpackReceipt } from '../shared/packed-receipt.ts';
import { retriedWrites } from '../shared/retried-writes.ts';
import { fromStoredText, toStoredText } from '../shared/stored-text.ts';
import type { WriteQueue } from './write-queue.ts';

export interface SqliteIdempotencyStore extends IdempotencyStore {
  close(): Promise<void>;
}

// Results that nobody asks for again are left behind. Now and then a claim walks along a few more than have come since.
const SWEEP = 50;
const RESULTS_A_SWEEP = 60;
// A process that was killed leaves its row: once it has been silent for so long and nothing of it is open, nobody needs it.
const LONG_DEAD_S = 3_600;
const NOW = `unixepoch('subsec')`;
const IS_HELD = `EXISTS (SELECT 1 FROM toolgate_nodes WHERE node = held.node AND alive_until > ${NOW})`;
const IS_OVER = `expires_at <= ${NOW}`;

export function sqliteIdempotency(
  db: Database,
  { leaseMs, queue }: { readonly leaseMs: number; readonly queue: WriteQueue },
): SqliteIdempotencyStore {
  const beat = db.prepare<[string, number]>(
    `INSERT INTO toolgate_nodes (node, alive_until) VALUES (?, ${NOW} + ? / 1000.0)
     ON CONFLICT (node) DO UPDATE SET alive_until = excluded.alive_until`,
  );
  const leave = db.prepare<[string]>('DELETE FROM toolgate_nodes WHERE node = ?');
  const nextStretch = db
    .prepare<[number, number], number | null>(
      'SELECT max(seq) FROM (SELECT seq FROM toolgate_kept_results WHERE seq > ? ORDER BY seq LIMIT ?)',
    )
    .pluck();
  const forget = db.prepare<[number, number]>(
    `DELETE FROM toolgate_kept_results WHERE seq > ? AND seq <= ? AND ${IS_OVER}`,
  );
  const sweepNodes = db.prepare<[]>(
    `DELETE FROM toolgate_nodes AS gone WHERE alive_until < ${NOW} - ${LONG_DEAD_S}
       AND NOT EXISTS (SELECT 1 FROM toolgate_open_claims WHERE node = gone.node)`,
  );
  const selectKept = db.prepare<[string], ClaimRow>(
    `SELECT call_id, input_hash, 'done' AS state, result, 0 AS is_held, ${IS_OVER} AS is_over
     FROM toolgate_kept_results WHERE scope = ?`,
  );
  const selectOpen = db.prepare<[string], ClaimRow>(
    `SELECT call_id, input_hash, state, NULL AS result, ${IS_HELD} AS is_held, 0 AS is_over
     FROM toolgate_open_claims AS held WHERE scope = ?`,
  );
  const insert = db.prepare<[...ReturnType<typeof rowFor>, string]>(
    `INSERT INTO toolgate_open_claims (scope, call_id, input_hash, state, node, window_ms, if_lost, since)
     SELECT ?, ?, ?, ?, ?, ?, ?, ${NOW}
     WHERE NOT EXISTS (SELECT 1 FROM toolgate_kept_results WHERE scope = ? AND NOT ${IS_OVER})
     ON CONFLICT (scope) DO NOTHING`,
  );
  const remove = db.prepare<[string]>('DELETE FROM toolgate_open_claims WHERE scope = ?');
  const keepWhere = <Values extends string[]>(condition: string) =>
    db.prepare<[result: string, ...Values]>(
      `INSERT INTO toolgate_kept_results (scope, call_id, input_hash, expires_at, result)
       SELECT scope, call_id, input_hash, ${NOW} + window_ms / 1000.0, ? FROM toolgate_open_claims WHERE ${condition}
       ON CONFLICT (scope) DO UPDATE SET call_id = excluded.call_id, input_hash = excluded.input_hash,
         expires_at = excluded.expires_at, result = excluded.result`,
    );
  const change = {
    intend: db.prepare<[string, string]>(
      `UPDATE toolgate_open_claims SET state = 'intended' WHERE scope = ? AND call_id = ? AND state = 'claimed'`,
    ),
    keep: keepWhere<[scope: string, callId: string]>('scope = ? AND call_id = ?'),
    keepAnew: db.prepare<[string, string, string]>(
      'UPDATE toolgate_kept_results SET result = ? WHERE scope = ? AND call_id = ?',
    ),
    release: db.prepare<[string, string]>('DELETE FROM toolgate_open_claims WHERE scope = ? AND call_id = ?'),
    doubt: db.prepare<[string, string]>(
      `UPDATE toolgate_open_claims SET state = 'unknown', told = 1
       WHERE scope = ? AND call_id = ? AND state IN ('intended', 'unknown')`,
    ),
    died: db.prepare<[]>(
      `UPDATE toolgate_open_claims AS held SET state = 'unknown' WHERE state = 'intended' AND NOT ${IS_HELD}`,
    ),
    told: db.prepare<[string]>('UPDATE toolgate_open_claims SET told = 1 WHERE call_id = ?'),
    settle: keepWhere<[callId: string]>(`call_id = ? AND state = 'unknown'`),
    dismiss: db.prepare<[string]>(`DELETE FROM toolgate_open_claims WHERE call_id = ? AND state = 'unknown'`),
  };
  const selectLost = db
    .prepare<[], string>(
      `SELECT if_lost FROM toolgate_open_claims WHERE state = 'unknown' AND told = 0 ORDER BY since`,
    )
    .pluck();
  const selectUnknown = db.prepare<[number], { scope: string; if_lost: string }>(
    `SELECT scope, if_lost FROM toolgate_open_claims WHERE state = 'unknown' ORDER BY since LIMIT ?`,
  );

  /** The result is kept before the key is given up: whoever comes in between finds one of them. */
  const seal = (scope: string, callId: string, result: string): void => {
    if (change.keep.run(result, scope, callId).changes === 1) change.release.run(scope, callId);
    else change.keepAnew.run(result, scope, callId);
  };
  const ends = retriedWrites({
    complete: async (scope, callId, result) => {
      await queue.write(() => seal(scope, toStoredText(callId), toStoredText(result)));
    },
    release: async (scope, callId) => {
      await queue.write(() => change.release.run(scope, toStoredText(callId)));
    },
    markUnknown: async (scope, callId) => {
      await queue.write(() => change.doubt.run(scope, toStoredText(callId)));
    },
  });
  const lease = leaseOf(async (node) => {
    beat.run(node, leaseMs);
    await ends.retryPending();
  }, leaseMs);
  let walkedTo = 0;
  const sweep = (): void => {
    const stretchEnd = nextStretch.get(walkedTo, RESULTS_A_SWEEP);
    if (stretchEnd) forget.run(walkedTo, stretchEnd);
    walkedTo = stretchEnd ?? 0;
    sweepNodes.run();
  };
  let claims = 0;
  const take = (wanted: Claim): boolean => {
    if (claims++ % SWEEP === 0) sweep();
    return insert.run(...rowFor(wanted, lease.node), wanted.scope).changes === 1;
  };
  const claim = (wanted: Claim): ClaimResult => {
    if (take(wanted)) return { state: 'acquired' };
    const { scope } = wanted;
    const held = selectOpen.get(scope) ?? selectKept.get(scope)!;
    const found = claimResultOf(held);
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
    take(wanted);
    return { state: 'acquired' };
  };
  const settle = db.transaction((callId: string, verdict: Resolution, result: string): boolean => {
    change.died.run();
    if (verdict === 'executed') change.settle.run(result, callId);
    return change.dismiss.run(callId).changes === 1;
  });
  const findLost = db.transaction((): Receipt[] => {
    change.died.run();
    return selectLost.all().map(unpackReceipt);
  });

  return {
    claim: async (wanted) => {
      await lease.hold();
      // Hardly any key is asked for twice: the first look is a single statement.
      const isMine = await queue.writeNext(() => take(wanted));
      return isMine ? { state: 'acquired' } : queue.write(() => claim(wanted));
    },
    recordIntent: (scope, callId) =>
      queue.writeNext(() => change.intend.run(scope, toStoredText(callId)).changes === 1),
    complete: ends.complete,
    release: ends.release,
    markUnknown: ends.markUnknown,
    findLost: async () => findLost.immediate(),
    markReported: async (callId) => {
      change.told.run(toStoredText(callId));
    },
    listUnresolved: async (limit) => {
      change.died.run();
      return selectUnknown
        .all(limit)
        .map(({ scope, if_lost }) => ({ scope, receipt: unpackReceipt(if_lost) }));
    },
    resolve: async (callId, verdict, result) =>
      settle.immediate(toStoredText(callId), verdict, toStoredText(result)),
    close: async () => {
      await lease.end();
      await ends.retryPending();
      if (db.open) leave.run(lease.node);
    },
  };
}

/** In the order of the columns. */
function rowFor({ scope, callId, inputHash, windowMs, crashReceipt, hasIntent }: Claim, node: string) {
  const state: ClaimState = hasIntent ? 'intended' : 'claimed';
  return [
    scope,
    toStoredText(callId),
    toStoredText(inputHash),
    state,
    node,
    windowMs,
    packReceipt(crashReceipt),
  ] as const;
}
