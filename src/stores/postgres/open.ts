import {
  escapeIdentifier,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResultRow,
} from 'pg';
import type { Stores } from '../../contract/ports/stores.ts';
import { DEFAULT_LEASE_MS } from '../shared/lease.ts';
import type { OnLostEntries } from '../shared/retried-appends.ts';
import { postgresArtifacts } from './artifacts.ts';
import type { PostgresConnections } from './connections.ts';
import { removeExpired } from './expiry.ts';
import { postgresIdempotency } from './idempotency.ts';
import { migrate } from './migrations.ts';
import { postgresReceiptLog } from './receipt-log.ts';
import { postgresUsage } from './usage.ts';

export interface PostgresStoresOptions {
  readonly url: string;
  /** Created if it does not exist. Without it the tables are in the first schema of the connection's search path. */
  readonly schema?: string;
  /** How long this process may send no heartbeat before it is taken for dead. */
  readonly leaseMs?: number;
  readonly onLostEntries?: OnLostEntries;
}

const CONNECT_TIMEOUT_MS = 10_000;
// A server that stalls without closing its connections would otherwise block a call until TCP gives up.
const QUERY_TIMEOUT_MS = 10_000;
// The server ends a statement before its client stops waiting, so that the client learns that nothing was written.
const STATEMENT_TIMEOUT_MS = 8_000;
const LOCK_TIMEOUT_MS = 5_000;
// A process that is paused in a transaction would otherwise keep its rows locked.
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;

export async function openPostgresStores({
  url,
  schema,
  leaseMs = DEFAULT_LEASE_MS,
  onLostEntries,
}: PostgresStoresOptions): Promise<Stores> {
  await prepare(url, schema);
  const pool = openPool(url, {
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
  });
  const inFlight = new Set<Promise<unknown>>();
  async function track<T>(work: Promise<T>): Promise<T> {
    inFlight.add(work);
    try {
      return await work;
    } finally {
      inFlight.delete(work);
    }
  }
  const connections: PostgresConnections = {
    table: (name) => (schema === undefined ? name : `${escapeIdentifier(schema)}.${name}`),
    query: async <Row extends QueryResultRow>(query: QueryConfig) =>
      (await track(pool.query<Row>(query))).rows,
    transaction: (work) => track(runTransaction(pool, work)),
  };
  const receipts = postgresReceiptLog(connections, onLostEntries);
  const idempotency = postgresIdempotency(connections, leaseMs);
  const close = async () => {
    await receipts.close();
    await idempotency.close();
    // A pool that is ending never serves the queries that still wait for a connection.
    while (inFlight.size > 0) await Promise.allSettled(inFlight);
    await pool.end();
  };
  let closed: Promise<void> | undefined;
  return {
    receipts,
    artifacts: postgresArtifacts(connections),
    usage: postgresUsage(connections),
    idempotency,
    problem: undefined,
    removeExpired: removeExpired(connections),
    backUp: async () => {
      throw new Error('The store is in PostgreSQL. Back it up with pg_dump.');
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Uses a connection of its own, because waiting for another node's migration may take longer than any query of a call. */
async function prepare(url: string, schema: string | undefined): Promise<void> {
  const pool = openPool(url);
  try {
    await runTransaction(pool, async (client) => {
      await requireUnicode(client);
      await migrate(client, schema);
    });
  } catch (error) {
    throw new Error(`Cannot open the stores at ${addressOf(url)}: ${explain(error)}`, { cause: error });
  } finally {
    await pool.end();
  }
}

function openPool(url: string, timeouts?: PoolConfig): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: 'toolgate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    ...timeouts,
  });
  // A connection that the server ends emits an error. Without a listener the process would exit. The query in flight
  // rejects by itself, and the next one gets another connection.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function runTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await work(client);
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    await client.query('ROLLBACK').then(
      () => client.release(),
      (lost: Error) => client.release(lost),
    );
    throw error;
  }
}

async function requireUnicode(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]!.server_encoding;
  if (encoding !== 'UTF8') {
    throw new Error(`its encoding is ${encoding}, which cannot store every text. Use a database with UTF8.`);
  }
}

/** The address without the password, because the message is logged and printed. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return 'the given address';
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

function explain(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  // A refused connection to a name with two addresses is an AggregateError with a code and no message.
  return message || code || 'unknown error';
}
