import type { ClientBase } from 'pg';

/** SQL for a text column as JSON. Text with a backslash was stored in the escaped form that JSON uses. */
const jsonText = (column: string): string =>
  `CASE WHEN ${column} IS NULL THEN 'null' WHEN strpos(${column}, '\\') > 0 THEN '"' || ${column} || '"'
     ELSE to_json(${column})::text END`;

/** In order; the version of a migration is its position, from 1. A migration is never edited: a change is a new entry. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE toolgate_receipts (
    seq             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    call_id         text COLLATE "C" NOT NULL UNIQUE,
    trace_id        text NOT NULL,
    at              text NOT NULL,
    principal_id    text COLLATE "C" NOT NULL,
    surface         text NOT NULL,
    requested       text NOT NULL,
    tool_id         text COLLATE "C",
    tool_digest     text,
    mutation        text,
    input_hash      text,
    decision        text,
    status          text COLLATE "C" NOT NULL,
    error_code      text,
    phase           text NOT NULL,
    duration_ms     double precision NOT NULL,
    idempotency_key text
  );
  CREATE INDEX toolgate_receipts_by_principal ON toolgate_receipts (principal_id, seq);
  CREATE INDEX toolgate_receipts_by_tool ON toolgate_receipts (tool_id, seq);
  CREATE INDEX toolgate_receipts_by_status ON toolgate_receipts (status, seq);

  CREATE TABLE toolgate_artifacts (
    owner      text COLLATE "C" NOT NULL,
    handle     text COLLATE "C" NOT NULL,
    sha256     text NOT NULL,
    media_type text NOT NULL,
    size       bigint NOT NULL,
    stored     bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    bytes      bytea NOT NULL,
    UNIQUE (owner, handle)
  );
  CREATE INDEX toolgate_artifacts_by_age ON toolgate_artifacts (owner, stored, size);
  CREATE INDEX toolgate_artifacts_by_expiry ON toolgate_artifacts (expires_at);
  `,
  `
  CREATE TABLE toolgate_usage (
    owner   text COLLATE "C" NOT NULL,
    tool    text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    times   bigint NOT NULL,
    seen    bigint NOT NULL,
    PRIMARY KEY (owner, tool, request)
  );
  `,
  `
  CREATE TABLE toolgate_nodes (
    node        text PRIMARY KEY,
    alive_until timestamptz NOT NULL
  );

  CREATE TABLE toolgate_claims (
    seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope      text COLLATE "C" NOT NULL UNIQUE,
    call_id    text COLLATE "C" NOT NULL UNIQUE,
    input_hash text NOT NULL,
    state      text NOT NULL,
    node       text NOT NULL,
    told       boolean NOT NULL DEFAULT false,
    window_ms  double precision NOT NULL,
    expires_at timestamptz,
    if_lost    text NOT NULL,
    result     text
  );
  CREATE INDEX toolgate_claims_open ON toolgate_claims (state, seq) WHERE state <> 'done';
  CREATE INDEX toolgate_claims_by_expiry ON toolgate_claims (expires_at) WHERE state = 'done';

  ALTER TABLE toolgate_receipts ADD COLUMN source text;
  ALTER TABLE toolgate_receipts ADD COLUMN attempts integer NOT NULL DEFAULT 0;
  `,
  // Half of a digest identifies a key.
  `
  UPDATE toolgate_claims SET scope = left(scope, 32) WHERE length(scope) = 64;
  `,
  // Receipts become one kind of entry of an ordered log.
  `
  CREATE TABLE toolgate_log (
    seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind         text COLLATE "C" NOT NULL,
    call_id      text COLLATE "C",
    at           text COLLATE "C" NOT NULL,
    principal_id text COLLATE "C" NOT NULL,
    tool_id      text COLLATE "C",
    status       text COLLATE "C",
    body         text NOT NULL,
    UNIQUE (call_id, kind)
  );
  INSERT INTO toolgate_log (kind, call_id, at, principal_id, tool_id, status, body)
    SELECT 'call', call_id, at, principal_id, tool_id, status, '[' ||
        ${jsonText('trace_id')} || ',' ||
        ${jsonText('surface')} || ',' ||
        ${jsonText('requested')} || ',' ||
        ${jsonText('tool_digest')} || ',' ||
        ${jsonText('mutation')} || ',' ||
        ${jsonText('input_hash')} || ',' ||
        coalesce(decision, 'null') || ',' ||
        ${jsonText('error_code')} || ',' ||
        ${jsonText('phase')} || ',' ||
        to_json(duration_ms)::text || ',' ||
        ${jsonText('idempotency_key')} || ',' ||
        ${jsonText('source')} || ',' ||
        to_json(attempts)::text || ']'
    FROM toolgate_receipts ORDER BY seq;
  DROP TABLE toolgate_receipts;
  CREATE INDEX toolgate_log_by_time ON toolgate_log (at, seq);
  CREATE INDEX toolgate_log_by_principal ON toolgate_log (principal_id, at, seq);
  CREATE INDEX toolgate_log_by_tool ON toolgate_log (tool_id, at, seq);
  CREATE INDEX toolgate_log_by_status ON toolgate_log (status, at, seq);
  CREATE INDEX toolgate_log_by_kind ON toolgate_log (kind, at, seq) WHERE kind <> 'call';
  `,
  `
  ALTER TABLE toolgate_claims RENAME COLUMN told TO reported;
  ALTER TABLE toolgate_claims RENAME COLUMN if_lost TO crash_receipt;
  `,
  `
  ALTER TABLE toolgate_nodes ADD COLUMN lease_ms double precision NOT NULL DEFAULT 10000;
  `,
];

// The first version in which processes send heartbeats.
const HEARTBEATS_SINCE = 3;

/** Applies the missing migrations in the caller's transaction, or throws if a newer toolgate wrote the database. */
export async function migrate(client: ClientBase, schema: string | undefined): Promise<void> {
  // Without the lock, CREATE … IF NOT EXISTS fails for one of two nodes that run it at once.
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('toolgate_schema', 0))`);
  if (schema !== undefined) await enterSchema(client, schema);
  await client.query(`CREATE TABLE IF NOT EXISTS toolgate_schema (
    version    integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`);
  const { rows } = await client.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM toolgate_schema',
  );
  const found = rows[0]!.version;
  if (found > MIGRATIONS.length) {
    throw new Error(
      `it was written by a newer toolgate (schema ${found}; this version supports ${MIGRATIONS.length}). ` +
        'Upgrade toolgate, or use another database or schema.',
    );
  }
  if (found >= HEARTBEATS_SINCE && found < MIGRATIONS.length) await requireSoleUse(client);
  for (let version = found + 1; version <= MIGRATIONS.length; version++) {
    await client.query(MIGRATIONS[version - 1]!);
    await client.query('INSERT INTO toolgate_schema (version) VALUES ($1)', [version]);
  }
}

/** A process of an older version fails with every write once the tables have changed. */
async function requireSoleUse(client: ClientBase): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM toolgate_nodes WHERE alive_until > clock_timestamp()');
  if (rowCount === 0) return;
  throw new Error(
    `it was written by an older toolgate and must be migrated, but other gateways use it: ${rowCount}. ` +
      'Stop them, wait until their lease has expired (10 s by default), then start again.',
  );
}

async function enterSchema(client: ClientBase, schema: string): Promise<void> {
  const name = client.escapeIdentifier(schema);
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  // IF NOT EXISTS would need the right to create schemas even where an operator has already created this one.
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${name}`);
  await client.query(`SET LOCAL search_path TO ${name}`);
}
