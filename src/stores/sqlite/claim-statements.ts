import type { Database, Statement } from 'better-sqlite3';
import type { ClaimRow } from '../shared/claim-row.ts';

// The row of a killed process is removed after this time, unless it still holds claims.
const DEAD_NODE_RETENTION_S = 3_600;
const NOW = `unixepoch('subsec')`;
const IS_HELD = `EXISTS (SELECT 1 FROM toolgate_nodes WHERE node = open.node AND alive_until > ${NOW})`;
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

export interface ClaimStatements {
  /** The processes that hold claims. */
  readonly nodes: {
    readonly heartbeat: Statement<[node: string, leaseMs: number]>;
    readonly remove: Statement<[node: string]>;
    readonly sweep: Statement<[]>;
  };
  /** Claims without a result. */
  readonly open: {
    readonly insert: Statement<[...ClaimValues, scope: string]>;
    readonly select: Statement<[scope: string], ClaimRow>;
    readonly remove: Statement<[scope: string]>;
    readonly recordIntent: Statement<Key>;
    readonly release: Statement<Key>;
    readonly markUnknown: Statement<Key>;
    /** Intents of processes that have died. */
    readonly markDeadUnknown: Statement<[]>;
  };
  /** Calls whose outcome is unknown. */
  readonly unresolved: {
    readonly selectLost: Statement<[], string>;
    readonly markReported: Statement<[callId: string]>;
    readonly select: Statement<[limit: number], { scope: string; crash_receipt: string }>;
    readonly storeResult: Statement<[result: string, callId: string]>;
    readonly remove: Statement<[callId: string]>;
  };
  /** Results that are stored for later calls with the same key. */
  readonly results: {
    readonly store: Statement<[result: string, ...Key]>;
    readonly update: Statement<[result: string, ...Key]>;
    readonly select: Statement<[scope: string], ClaimRow>;
    readonly endOfRange: Statement<[after: number, size: number], number | null>;
    readonly removeExpired: Statement<[after: number, upTo: number]>;
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
      `INSERT INTO toolgate_nodes (node, alive_until) VALUES (?, ${NOW} + ? / 1000.0)
       ON CONFLICT (node) DO UPDATE SET alive_until = excluded.alive_until`,
    ),
    remove: db.prepare('DELETE FROM toolgate_nodes WHERE node = ?'),
    sweep: db.prepare(
      `DELETE FROM toolgate_nodes AS dead WHERE alive_until < ${NOW} - ${DEAD_NODE_RETENTION_S}
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
    release: db.prepare('DELETE FROM toolgate_open_claims WHERE scope = ? AND call_id = ?'),
    markUnknown: db.prepare(
      `UPDATE toolgate_open_claims SET state = 'unknown', reported = 1
       WHERE scope = ? AND call_id = ? AND state IN ('intended', 'unknown')`,
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
      `SELECT scope, crash_receipt FROM toolgate_open_claims WHERE state = 'unknown' ORDER BY since LIMIT ?`,
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
    endOfRange: db
      .prepare<[after: number, size: number], number | null>(
        'SELECT max(seq) FROM (SELECT seq FROM toolgate_stored_results WHERE seq > ? ORDER BY seq LIMIT ?)',
      )
      .pluck(),
    removeExpired: db.prepare(
      `DELETE FROM toolgate_stored_results WHERE seq > ? AND seq <= ? AND ${IS_EXPIRED}`,
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
