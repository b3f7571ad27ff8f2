import type { Database } from 'better-sqlite3';

/** SQL for a text column as JSON. Text with a backslash was stored in the escaped form that JSON uses. */
const jsonText = (column: string): string =>
  `CASE WHEN instr(${column}, '\\') THEN '"' || ${column} || '"' ELSE json_quote(${column}) END`;

/** In order; the version of a migration is its position, from 1. A migration is never edited: a change is a new entry. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE toolgate_receipts (
    seq             INTEGER PRIMARY KEY,
    call_id         TEXT NOT NULL UNIQUE,
    trace_id        TEXT NOT NULL,
    at              TEXT NOT NULL,
    principal_id    TEXT NOT NULL,
    surface         TEXT NOT NULL,
    requested       TEXT NOT NULL,
    tool_id         TEXT,
    tool_digest     TEXT,
    mutation        TEXT,
    input_hash      TEXT,
    decision        TEXT,
    status          TEXT NOT NULL,
    error_code      TEXT,
    phase           TEXT NOT NULL,
    duration_ms     REAL NOT NULL,
    idempotency_key TEXT
  ) STRICT;
  -- An index ends in the row's seq, so each of these also gives the order of the listing.
  CREATE INDEX toolgate_receipts_by_principal ON toolgate_receipts (principal_id);
  CREATE INDEX toolgate_receipts_by_tool ON toolgate_receipts (tool_id);
  CREATE INDEX toolgate_receipts_by_status ON toolgate_receipts (status);

  -- The bytes come last: a query without them does not read their pages.
  CREATE TABLE toolgate_artifacts (
    owner      TEXT NOT NULL,
    handle     TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size       INTEGER NOT NULL,
    stored     INTEGER NOT NULL,
    expires_at REAL NOT NULL,
    bytes      BLOB NOT NULL,
    UNIQUE (owner, handle)
  ) STRICT;
  CREATE INDEX toolgate_artifacts_by_age ON toolgate_artifacts (owner, stored, size);
  CREATE INDEX toolgate_artifacts_by_expiry ON toolgate_artifacts (expires_at);
  `,
  `
  CREATE TABLE toolgate_usage (
    owner   TEXT NOT NULL,
    tool    TEXT NOT NULL,
    request TEXT NOT NULL,
    times   INTEGER NOT NULL,
    seen    INTEGER NOT NULL,
    PRIMARY KEY (owner, tool, request)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE toolgate_nodes (
    node        TEXT PRIMARY KEY,
    alive_until REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE toolgate_claims (
    seq        INTEGER PRIMARY KEY,
    scope      TEXT NOT NULL UNIQUE,
    call_id    TEXT NOT NULL UNIQUE,
    input_hash TEXT NOT NULL,
    state      TEXT NOT NULL,
    node       TEXT NOT NULL,
    told       INTEGER NOT NULL DEFAULT 0,
    window_ms  REAL NOT NULL,
    expires_at REAL NOT NULL,
    if_lost    TEXT NOT NULL,
    result     TEXT
  ) STRICT;
  CREATE INDEX toolgate_claims_open ON toolgate_claims (state, seq) WHERE state <> 'done';
  CREATE INDEX toolgate_claims_by_expiry ON toolgate_claims (expires_at) WHERE state = 'done';

  ALTER TABLE toolgate_receipts ADD COLUMN source TEXT;
  ALTER TABLE toolgate_receipts ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
  `,
  // Open claims are few and change often; stored results are many and change once. In separate tables a call with a key
  // writes three pages instead of nine, and open claims are found without reading the results.
  `
  CREATE TABLE toolgate_kept_results (
    scope      TEXT PRIMARY KEY,
    call_id    TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    expires_at REAL NOT NULL,
    result     TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO toolgate_kept_results
    SELECT scope, call_id, input_hash, expires_at, result FROM toolgate_claims WHERE state = 'done';

  CREATE TABLE toolgate_open_claims (
    scope      TEXT PRIMARY KEY,
    call_id    TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    state      TEXT NOT NULL,
    node       TEXT NOT NULL,
    told       INTEGER NOT NULL DEFAULT 0,
    since      REAL NOT NULL,
    window_ms  REAL NOT NULL,
    if_lost    TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO toolgate_open_claims
    SELECT scope, call_id, input_hash, state, node, told, seq, window_ms, if_lost FROM toolgate_claims WHERE state <> 'done';
  DROP TABLE toolgate_claims;
  `,
  // A call writes to the end of a table and of an index, except for one leaf of the index by key. Successful calls, which
  // are nearly all, are only in the index of call ids.
  `
  ALTER TABLE toolgate_kept_results RENAME TO toolgate_results_by_scope;
  CREATE TABLE toolgate_kept_results (
    seq        INTEGER PRIMARY KEY,
    scope      TEXT NOT NULL UNIQUE,
    call_id    TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    expires_at REAL NOT NULL,
    result     TEXT NOT NULL
  ) STRICT;
  INSERT INTO toolgate_kept_results (scope, call_id, input_hash, expires_at, result)
    SELECT substr(scope, 1, 32), call_id, input_hash, expires_at, result FROM toolgate_results_by_scope;
  DROP TABLE toolgate_results_by_scope;
  UPDATE toolgate_open_claims SET scope = substr(scope, 1, 32) WHERE length(scope) = 64;

  DROP INDEX toolgate_receipts_by_principal;
  DROP INDEX toolgate_receipts_by_tool;
  DROP INDEX toolgate_receipts_by_status;
  CREATE INDEX toolgate_receipts_not_ok ON toolgate_receipts (status) WHERE status <> 'ok';
  `,
  // Receipts become one kind of entry of an ordered log. An append touches the end of the table and of one index. What a
  // listing needs is copied to the index table afterwards, outside of the call.
  `
  CREATE TABLE toolgate_log (
    seq          INTEGER PRIMARY KEY,
    kind         TEXT NOT NULL,
    call_id      TEXT,
    at           TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    tool_id      TEXT,
    status       TEXT,
    body         TEXT NOT NULL,
    UNIQUE (call_id, kind)
  ) STRICT;
  INSERT INTO toolgate_log
    SELECT seq, 'call', call_id, at, principal_id, tool_id, status, '[' ||
        ${jsonText('trace_id')} || ',' ||
        ${jsonText('surface')} || ',' ||
        ${jsonText('requested')} || ',' ||
        ${jsonText('tool_digest')} || ',' ||
        ${jsonText('mutation')} || ',' ||
        ${jsonText('input_hash')} || ',' ||
        coalesce(decision, 'null') || ',' ||
        ${jsonText('error_code')} || ',' ||
        ${jsonText('phase')} || ',' ||
        json_quote(duration_ms) || ',' ||
        ${jsonText('idempotency_key')} || ',' ||
        ${jsonText('source')} || ',' ||
        json_quote(attempts) || ']'
    FROM toolgate_receipts ORDER BY seq;
  DROP TABLE toolgate_receipts;

  CREATE TABLE toolgate_log_index (
    seq          INTEGER PRIMARY KEY,
    at           INTEGER NOT NULL, -- epoch milliseconds
    kind         TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    tool_id      TEXT,
    status       TEXT
  ) STRICT;
  CREATE INDEX toolgate_log_by_time ON toolgate_log_index (at);
  CREATE INDEX toolgate_log_by_principal ON toolgate_log_index (principal_id, at);
  CREATE INDEX toolgate_log_by_tool ON toolgate_log_index (tool_id, at);
  CREATE INDEX toolgate_log_by_status ON toolgate_log_index (status, at);
  CREATE INDEX toolgate_log_by_kind ON toolgate_log_index (kind, at) WHERE kind <> 'call';
  `,
  `
  ALTER TABLE toolgate_kept_results RENAME TO toolgate_stored_results;
  ALTER TABLE toolgate_open_claims RENAME COLUMN told TO reported;
  ALTER TABLE toolgate_open_claims RENAME COLUMN if_lost TO crash_receipt;
  `,
  // Leases are measured on the steady clock of the machine, in milliseconds. No process uses the file during a migration,
  // so the heartbeats in it are of processes that have ended.
  `
  DROP TABLE toolgate_nodes;
  CREATE TABLE toolgate_nodes (
    node        TEXT PRIMARY KEY,
    alive_until REAL NOT NULL,
    lease_ms    REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];

/** Whether an older toolgate wrote the file. */
export function isMigrationPending(db: Database): boolean {
  const hasSchema = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'toolgate_schema'`).get();
  const version = hasSchema ? versionOf(db) : 0;
  return version > 0 && version < MIGRATIONS.length;
}

function versionOf(db: Database): number {
  return db.prepare<[], number>('SELECT coalesce(max(version), 0) FROM toolgate_schema').pluck().get()!;
}

/** Applies the missing migrations, or throws if a newer toolgate wrote the file. */
export function migrate(db: Database): void {
  const apply = db.transaction(() => {
    db.exec(`CREATE TABLE IF NOT EXISTS toolgate_schema (
      version    INTEGER PRIMARY KEY,
      applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    ) STRICT`);
    const found = versionOf(db);
    if (found > MIGRATIONS.length) {
      throw new Error(
        `it was written by a newer toolgate (schema ${found}; this version supports ${MIGRATIONS.length}). ` +
          'Upgrade toolgate, or use another file.',
      );
    }
    for (let version = found + 1; version <= MIGRATIONS.length; version++) {
      db.exec(MIGRATIONS[version - 1]!);
      db.prepare('INSERT INTO toolgate_schema (version) VALUES (?)').run(version);
    }
  });
  // Takes the write lock before it reads the version, so that only one of two processes that start at once migrates.
  apply.immediate();
}
