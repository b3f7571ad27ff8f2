import type { Database, Statement } from 'better-sqlite3';
import type { ClaimRow } from '../shared/claim-row.ts';
import { NOW, STEADY_MS } from './clock.ts';

// Before a restart of the machine the steady clock was ahead: a lease can end at most its own length from now.
const IS_ALIVE = `alive_until > ${STEADY_MS} AND alive_until <= ${STEADY_MS} + lease_ms`;
// A process never takes itself for dead, however late its own heartbeat is.
const IS_HELD = `(open.node = ? OR EXISTS (SELECT 1 FROM toolgate_nodes WHERE node = open.node AND ${IS_ALIVE}))`;
const IS_EXPIRED = `expires_at <= ${NOW}`;

/** The columns of a claim, in the order in which `insert` binds them. */
export type ClaimValues = readonly [
  scope: string,
  callId: string,
  inputHash: string,
  state: string,
  node: string,
  windowMs: number,
  crashReceipt: string,
];

type Key = [scope: string, callId: string];

interface UnresolvedRow {
  readonly scope: string;
  readonly crash_receipt: string;
  readonly is_held: number;
}

export interface ClaimStatements {
  /** The processes that hold claims. */
  readonly nodes: {
    readonly heartbeat: Statement<[node: string, leaseMs: number, leaseMs: number]>;
    readonly remove: Statement<[node: string]>;
    readonly sweep: Statement<[]>;
  };
  /** Claims without a result. */
  readonly open: {
    readonly insert: Statement<[...ClaimValues, scope: string]>;
    readonly select: Statement<[ownNode: string, scope: string], ClaimRow>;
    readonly remove: Statement<[scope: string]>;
    readonly recordIntent: Statement<Key>;
    /** Whether the call may still have its effect. */
    readonly isIntended: Statement<Key, 1>;
    readonly release: Statement<Key>;
    readonly markUnknown: Statement<Key>;
    readonly stopWaiting: Statement<Key>;
    /** Intents of processes that have died. */
    readonly markDeadUnknown: Statement<[ownNode: string]>;
  };
  /** Calls whose outcome is unknown. */
  readonly unresolved: {
    readonly selectLost: Statement<[], string>;
    readonly markReported: Statement<[callId: string]>;
    readonly select: Statement<[ownNode: string, limit: number], UnresolvedRow>;
    readonly storeResult: Statement<[result: string, callId: string]>;
    readonly remove: Statement<[callId: string]>;
  };
  /** Results that are stored for later calls with the same key. */
  readonly results: {
    readonly store: Statement<[result: string, ...Key]>;
    readonly update: Statement<[result: string, ...Key]>;
    readonly select: Statement<[scope: string], ClaimRow>;
  };
}

export function prepareClaimStatements(db: Database): ClaimStatements {
  return {
    nodes: nodeStatements(db),
    open: openClaimStatements(db),
    unresolved: unresolvedStatements(db),
    results: resultStatements(db),
  };
}

function nodeStatements(db: Database): ClaimStatements['nodes'] {
  return {
    heartbeat: db.prepare(
      `INSERT INTO toolgate_nodes (node, alive_until, lease_ms) VALUES (?, ${STEADY_MS} + ?, ?)
       ON CONFLICT (node) DO UPDATE SET alive_until = excluded.alive_until`,
    ),
    remove: db.prepare('DELETE FROM toolgate_nodes WHERE node = ?'),
    sweep: db.prepare(
      `DELETE FROM toolgate_nodes AS dead WHERE NOT (${IS_ALIVE})
         AND NOT EXISTS (SELECT 1 FROM toolgate_open_claims WHERE node = dead.node)`,
    ),
  };
}

function openClaimStatements(db: Database): ClaimStatements['open'] {
  return {
    insert: db.prepare(
      `INSERT INTO toolgate_open_claims (scope, call_id, input_hash, state, node, window_ms, crash_receipt, since)
       SELECT ?, ?, ?, ?, ?, ?, ?, ${NOW}
       WHERE NOT EXISTS (SELECT 1 FROM toolgate_stored_results WHERE scope = ? AND NOT ${IS_EXPIRED})
       ON CONFLICT (scope) DO NOTHING`,
    ),
    select: db.prepare(
      `SELECT call_id, input_hash, state, NULL AS result, ${IS_HELD} AS is_held, 0 AS is_expired
       FROM toolgate_open_claims AS open WHERE scope = ?`,
    ),
    remove: db.prepare('DELETE FROM toolgate_open_claims WHERE scope = ?'),
    recordIntent: db.prepare(
      `UPDATE toolgate_open_claims SET state = 'intended' WHERE scope = ? AND call_id = ? AND state = 'claimed'`,
    ),
    isIntended: db.prepare(
      `SELECT 1 FROM toolgate_open_claims WHERE scope = ? AND call_id = ? AND state = 'intended'`,
    ),
    release: db.prepare('DELETE FROM toolgate_open_claims WHERE scope = ? AND call_id = ?'),
    markUnknown: db.prepare(
      `UPDATE toolgate_open_claims SET state = 'unknown', reported = 1
       WHERE scope = ? AND call_id = ? AND state IN ('intended', 'unknown')`,
    ),
    stopWaiting: db.prepare(
      `UPDATE toolgate_open_claims SET node = '' WHERE scope = ? AND call_id = ? AND state = 'unknown'`,
    ),
    markDeadUnknown: db.prepare(
      `UPDATE toolgate_open_claims AS open SET state = 'unknown' WHERE state = 'intended' AND NOT ${IS_HELD}`,
    ),
  };
}

function unresolvedStatements(db: Database): ClaimStatements['unresolved'] {
  return {
    selectLost: db
      .prepare<[], string>(
        `SELECT crash_receipt FROM toolgate_open_claims WHERE state = 'unknown' AND reported = 0 ORDER BY since`,
      )
      .pluck(),
    markReported: db.prepare('UPDATE toolgate_open_claims SET reported = 1 WHERE call_id = ?'),
    select: db.prepare(
      `SELECT scope, crash_receipt, ${IS_HELD} AS is_held
       FROM toolgate_open_claims AS open WHERE state = 'unknown' ORDER BY since LIMIT ?`,
    ),
    storeResult: storeResultWhere(db, `call_id = ? AND state = 'unknown'`),
    remove: db.prepare(`DELETE FROM toolgate_open_claims WHERE call_id = ? AND state = 'unknown'`),
  };
}

function resultStatements(db: Database): ClaimStatements['results'] {
  return {
    store: storeResultWhere(db, 'scope = ? AND call_id = ?'),
    update: db.prepare('UPDATE toolgate_stored_results SET result = ? WHERE scope = ? AND call_id = ?'),
    select: db.prepare(
      `SELECT call_id, input_hash, 'done' AS state, result, 0 AS is_held, ${IS_EXPIRED} AS is_expired
       FROM toolgate_stored_results WHERE scope = ?`,
    ),
  };
}

function storeResultWhere<Values extends string[]>(
  db: Database,
  condition: string,
): Statement<[result: string, ...Values]> {
  return db.prepare<[result: string, ...Values]>(
    `INSERT INTO toolgate_stored_results (scope, call_id, input_hash, expires_at, result)
     SELECT scope, call_id, input_hash, ${NOW} + window_ms / 1000.0, ? FROM toolgate_open_claims WHERE ${condition}
     ON CONFLICT (scope) DO UPDATE SET call_id = excluded.call_id, input_hash = excluded.input_hash,
       expires_at = excluded.expires_at, result = excluded.result`,
  );
}
