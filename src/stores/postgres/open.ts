import { escapeIdentifier, Pool, type PoolClient, type QueryConfig, type QueryResultRow } from 'pg';
import type { Stores } from '../../contract/ports/stores.ts';
import { DEFAULT_LEASE_MS } from '../shared/lease.ts';
import type { OnLostEntries } from '../shared/retried-appends.ts';
import { postgresArtifacts } from './artifacts.ts';
import type { PostgresConnections } from './connections.ts';
import { postgresIdempotency } from './idempotency.ts';
import { migrate } from './migrations.ts';
import { postgresReceiptLog } from './receipt-log.ts';
import { postgresUsage } from './usage.ts';

export interface PostgresStoresOptions {
  readonly url: string;
  /** Made where it is missing. Without one the tables go where the connection's search path points. */
  readonly schema?: string;
  /** How long this process may be silent before its keys are taken for a dead one's. */
  readonly leaseMs?: number;
  readonly onLostEntries?: OnLostEntries;
}

const CONNECT_TIMEOUT_MS = 10_000;
// A server that stalls without closing its connections would otherwise be waited for as long as TCP likes.
const QUERY_TIMEOUT_MS = 10_000;

export async function openPostgresStores({
  url,
  schema,
  leaseMs = DEFAULT_LEASE_MS,
  onLostEntries,
}: PostgresStoresOptions): Promise<Stores> {
  await prepare(url, schema);
  const pool = openPool(url, QUERY_TIMEOUT_MS);
  const underWay = new Set<Promise<unknown>>();
  async function tracked<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  }
  const connections: PostgresConnections = {
    table: (name) => (schema === undefined ? name : `${escapeIdentifier(schema)}.${name}`),
    query: async <Row extends QueryResultRow>(query: QueryConfig) =>
      (await tracked(pool.query<Row>(query))).rows,
    transaction: (work) => tracked(transaction(pool, work)),
  };
  const receipts = postgresReceiptLog(connections, onLostEntries);
  const idempotency = postgresIdempotency(connections, leaseMs);
  const close = async () => {
    await receipts.close();
    await idempotency.close();
    // A pool that is ending never serves those who still wait for a connection.
    while (underWay.size > 0) await Promise.allSettled(underWay);
    await pool.end();
  };
  let closed: Promise<void> | undefined;
  return {
    receipts,
    artifacts: postgresArtifacts(connections),
    usage: postgresUsage(connections),
    idempotency,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** On a connection of its own: another node's migration may be waited for longer than any query of a call. */
async function prepare(url: string, schema: string | undefined): Promise<void> {
  const pool = openPool(url);
  try {
    await transaction(pool, async (client) => {
      await requireUnicode(client);
      await migrate(client, schema);
    });
  } catch (error) {
    throw new Error(`Cannot open the stores at ${placeOf(url)}: ${explain(error)}`, { cause: error });
  } finally {
    await pool.end();
  }
}

function openPool(url: string, queryTimeoutMs?: number): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: 'toolgate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
  });
  // A connection that the server ends, idle or not, emits an error that nobody else hears, and node would exit. The
  // query under way is told by its rejection, and the next one gets another connection.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function transaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
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
    throw new Error(`its encoding is ${encoding}, which cannot hold every text. Name a database in UTF8.`);
  }
}

/** The address without the password: the sentence goes to logs and screens. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'the given address';
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

function explain(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  // A refused connection to a name with two addresses is an AggregateError with a code and no message.
  return message || code || 'unknown error';
}
