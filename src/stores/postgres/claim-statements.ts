/** A prepared statement: the server plans it once for each connection. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

export interface ClaimTables {
  readonly claims: string;
  readonly nodes: string;
}

const NOW = 'clock_timestamp()';
const EXPIRES_AT = `${NOW} + make_interval(secs => window_ms / 1000)`;

export interface ClaimStatements {
  /** The processes that hold claims. */
  readonly nodes: Readonly<Record<'heartbeat' | 'remove' | 'sweep', NamedStatement>>;
  /** Claiming a key. */
  readonly acquire: Readonly<Record<'insert' | 'select' | 'remove' | 'markUnknown', NamedStatement>>;
  /** The steps of a call that holds a claim. */
  readonly steps: Readonly<
    Record<
      'recordIntent' | 'isIntended' | 'complete' | 'release' | 'releaseAll' | 'markUnknown' | 'stopWaiting',
      NamedStatement
    >
  >;
  /** Calls whose outcome is unknown. */
  readonly unresolved: Readonly<
    Record<
      'markDeadUnknown' | 'selectLost' | 'markReported' | 'select' | 'resolveExecuted' | 'resolveNotExecuted',
      NamedStatement
    >
  >;
}

export function claimStatements(tables: ClaimTables): ClaimStatements {
  return {
    nodes: nodeStatements(tables),
    acquire: acquireStatements(tables),
    steps: stepStatements(tables),
    unresolved: unresolvedStatements(tables),
  };
}

function named(name: string, text: string): NamedStatement {
  return { name: `toolgate_claims_${name}`, text };
}

/**
 * Whether the process of the claim is alive. A process never takes itself (`ownNode`) for dead. A lease can end at most its
 * own length from now: it ends later only where the clock of the server was set back.
 */
function isHeld(nodes: string, ownNode: string): string {
  return `(claim.node = ${ownNode} OR EXISTS (SELECT 1 FROM ${nodes} WHERE node = claim.node AND alive_until > ${NOW}
    AND alive_until <= ${NOW} + make_interval(secs => lease_ms / 1000)))`;
}

function nodeStatements({ claims, nodes }: ClaimTables): ClaimStatements['nodes'] {
  return {
    heartbeat: named(
      'heartbeat',
      `INSERT INTO ${nodes} (node, alive_until, lease_ms)
       VALUES ($1, ${NOW} + make_interval(secs => $2::double precision / 1000), $2)
       ON CONFLICT (node) DO UPDATE SET alive_until = excluded.alive_until`,
    ),
    remove: named('remove_node', `DELETE FROM ${nodes} WHERE node = $1`),
    // Skips locked rows: two nodes that sweep at once must not wait for each other.
    sweep: named(
      'sweep_nodes',
      `DELETE FROM ${nodes} WHERE node IN
         (SELECT node FROM ${nodes} AS dead WHERE alive_until <= ${NOW}
            AND NOT EXISTS (SELECT 1 FROM ${claims} WHERE state <> 'done' AND node = dead.node)
          FOR UPDATE SKIP LOCKED)`,
    ),
  };
}

function acquireStatements({ claims, nodes }: ClaimTables): ClaimStatements['acquire'] {
  return {
    insert: named(
      'insert',
      `INSERT INTO ${claims} (scope, call_id, input_hash, state, node, crash_receipt, window_ms)
       VALUES ($1, $2, $3, $7, $4, $5, $6) ON CONFLICT (scope) DO NOTHING RETURNING scope`,
    ),
    // The lock makes two claims that find the key of a dead process take turns.
    select: named(
      'select',
      `SELECT call_id, input_hash, state, result, ${isHeld(nodes, '$2')} AS is_held,
         coalesce(expires_at <= ${NOW}, false) AS is_expired
       FROM ${claims} AS claim WHERE scope = $1 FOR UPDATE`,
    ),
    remove: named('remove', `DELETE FROM ${claims} WHERE scope = $1 AND call_id = $2`),
    markUnknown: named(
      'mark_claim_unknown',
      `UPDATE ${claims} SET state = 'unknown' WHERE scope = $1 AND call_id = $2 AND state = 'intended'`,
    ),
  };
}

function stepStatements({ claims }: ClaimTables): ClaimStatements['steps'] {
  return {
    recordIntent: named(
      'record_intent',
      `UPDATE ${claims} SET state = 'intended' WHERE scope = $1 AND call_id = $2 AND state = 'claimed' RETURNING 1`,
    ),
    isIntended: named(
      'is_intended',
      `SELECT 1 FROM ${claims} WHERE scope = $1 AND call_id = $2 AND state = 'intended'`,
    ),
    complete: named(
      'complete',
      `UPDATE ${claims} SET state = 'done', reported = true, result = $3, expires_at = ${EXPIRES_AT}
       WHERE scope = $1 AND call_id = $2 RETURNING 1`,
    ),
    release: named(
      'release',
      `DELETE FROM ${claims} WHERE scope = $1 AND call_id = $2 AND state IN ('claimed', 'intended', 'unknown') RETURNING 1`,
    ),
    // Claims that were never answered: their calls have ended and were not sent.
    releaseAll: named(
      'release_all',
      `DELETE FROM ${claims} WHERE call_id = ANY($1) AND state IN ('claimed', 'intended') RETURNING call_id`,
    ),
    stopWaiting: named(
      'stop_waiting',
      `UPDATE ${claims} SET node = '' WHERE scope = $1 AND call_id = $2 AND state = 'unknown' RETURNING 1`,
    ),
    markUnknown: named(
      'mark_unknown',
      `UPDATE ${claims} SET state = 'unknown', reported = true
       WHERE scope = $1 AND call_id = $2 AND state IN ('intended', 'unknown') RETURNING 1`,
    ),
  };
}

function unresolvedStatements({ claims, nodes }: ClaimTables): ClaimStatements['unresolved'] {
  return {
    // Never waits for a row, so it cannot deadlock with a claim that holds one. The next call finds what it skips.
    markDeadUnknown: named(
      'mark_dead_unknown',
      `UPDATE ${claims} SET state = 'unknown' WHERE scope IN
         (SELECT scope FROM ${claims} AS claim WHERE state = 'intended' AND NOT ${isHeld(nodes, '$1')} FOR UPDATE SKIP LOCKED)
       RETURNING 1`,
    ),
    selectLost: named(
      'select_lost',
      `SELECT crash_receipt FROM ${claims} WHERE state = 'unknown' AND NOT reported ORDER BY seq`,
    ),
    markReported: named(
      'mark_reported',
      `UPDATE ${claims} SET reported = true WHERE call_id = $1 RETURNING 1`,
    ),
    select: named(
      'select_unknown',
      `SELECT scope, crash_receipt, ${isHeld(nodes, '$2')} AS is_held
       FROM ${claims} AS claim WHERE state = 'unknown' ORDER BY seq LIMIT $1`,
    ),
    resolveExecuted: named(
      'resolve_executed',
      `UPDATE ${claims} SET state = 'done', result = $2, expires_at = ${EXPIRES_AT}
       WHERE call_id = $1 AND state = 'unknown' RETURNING 1`,
    ),
    resolveNotExecuted: named(
      'resolve_not_executed',
      `DELETE FROM ${claims} WHERE call_id = $1 AND state = 'unknown' RETURNING 1`,
    ),
  };
}
