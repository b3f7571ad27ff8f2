import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/embedded-postgres.ts';
import { MIGRATED_RECEIPTS, OLD_ROWS } from '../../../test/fixtures/old-receipts.ts';
import type { LogQuery, RecordedEntry } from '../../contract/ports/receipt-log.ts';
import { callIdOf, callIds } from '../../toolkit/store-cases/log-samples.ts';
import { sampleArtifact, sampleEntry, sampleReceipt, storeSuite } from '../../toolkit/store-suite.ts';
import { listingOf } from './log-listing.ts';
import { MIGRATIONS } from './migrations.ts';
import { openPostgresStores } from './open.ts';

const LASTING = { ttlMs: 60_000, quotaBytes: 1_000_000 };

let server: TestPostgres;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());
beforeEach(async () => {
  url = await server.createDatabase();
});

describe('store suite', () => {
  for (const { name, run } of storeSuite) test(name, () => run(() => openPostgresStores({ url })));
});

/** A connection outside of the stores. */
async function connect(): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  return client;
}

test('nodes that open one empty database at once share it', async () => {
  const nodes = await Promise.all(Array.from({ length: 8 }, () => openPostgresStores({ url })));
  await Promise.all(
    nodes.flatMap((node, at) =>
      Array.from({ length: 25 }, (_, n) =>
        node.receipts.append(sampleEntry({ callId: `node-${at}-call-${n}` })),
      ),
    ),
  );
  const [first] = nodes;
  const ids = await callIds(first!, { limit: 1000 });
  expect(new Set(ids).size).toBe(200);
  await Promise.all(nodes.map((node) => node.close()));
});

test("nodes see each other's entries, and duplicates are refused across nodes", async () => {
  const [one, two] = await Promise.all([openPostgresStores({ url }), openPostgresStores({ url })]);
  await one.receipts.append(sampleEntry({ callId: 'shared' }));
  expect(await two.receipts.get('shared')).toEqual(sampleReceipt({ callId: 'shared' }));
  await expect(two.receipts.append(sampleEntry({ callId: 'shared' }))).rejects.toThrow(
    'The log already has an entry of kind "call" for call shared.',
  );
  const race = await Promise.allSettled(
    [one, two].map((node) => node.receipts.append(sampleEntry({ callId: 'race' }))),
  );
  expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await Promise.all([one.close(), two.close()]);
});

test('a reader of the log misses nothing that nodes append meanwhile', async () => {
  const nodes = await Promise.all(Array.from({ length: 4 }, () => openPostgresStores({ url })));
  let writing = true;
  const writers = Promise.all(
    nodes.map(async (node, at) => {
      for (let n = 0; n < 100; n++) await node.receipts.append(sampleEntry({ callId: `${at}-${n}` }));
    }),
  ).finally(() => {
    writing = false;
  });
  const reader = await openPostgresStores({ url });
  const seen: RecordedEntry[] = [];
  for (let last = false; !last; ) {
    last = !writing;
    seen.push(...(await reader.receipts.read(seen.at(-1)?.seq ?? 0, 1_000)));
  }
  await writers;
  expect(new Set(seen.map(callIdOf)).size).toBe(400);
  expect(seen.length).toBe(400);
  await Promise.all([...nodes, reader].map((node) => node.close()));
});

test('concurrent puts of two nodes stay within the quota', async () => {
  const nodes = await Promise.all([openPostgresStores({ url }), openPostgresStores({ url })]);
  const artifacts = Array.from({ length: 40 }, (_, n) => sampleArtifact(String(n).padStart(10)));
  await Promise.all(
    artifacts.map((artifact, n) =>
      nodes[n % 2]!.artifacts.put('ann', artifact, { ...LASTING, quotaBytes: 50 }),
    ),
  );
  const stored = await Promise.all(artifacts.map(({ handle }) => nodes[0]!.artifacts.get('ann', handle)));
  expect(stored.filter((artifact) => artifact !== undefined).length).toBe(5);
  await Promise.all(nodes.map((node) => node.close()));
});

test('an entry that the engine refuses does not fail the others of its batch', async () => {
  const stores = await openPostgresStores({ url });
  // Too long for an index entry, in characters that do not compress.
  const principalId = randomBytes(6000).toString('hex');
  const results = await Promise.allSettled([
    stores.receipts.append(sampleEntry({ callId: 'before' })),
    stores.receipts.append(sampleEntry({ callId: 'broken', principalId })),
    stores.receipts.append(sampleEntry({ callId: 'after' })),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await callIds(stores, { limit: 9 })).toEqual(['after', 'before']);
  await stores.close();
});

test('stores in a schema are separate, whatever the name of the schema', async () => {
  const schema = 'Tool "gate"; --';
  const [apart, plain] = await Promise.all([
    openPostgresStores({ url, schema }),
    openPostgresStores({ url }),
  ]);
  const artifact = sampleArtifact('apart');
  await apart.receipts.append(sampleEntry({ callId: 'apart' }));
  await apart.artifacts.put('ann', artifact, LASTING);
  expect(await apart.receipts.list({ before: await apart.receipts.lastSeq(), limit: 9 })).toEqual([]);
  expect(await plain.receipts.list({ limit: 9 })).toEqual([]);
  expect(await plain.artifacts.get('ann', artifact.handle)).toBeUndefined();
  await Promise.all([apart.close(), plain.close()]);

  const again = await openPostgresStores({ url, schema });
  expect(await again.receipts.get('apart')).toBeDefined();
  expect(await again.artifacts.get('ann', artifact.handle)).toBeDefined();
  await again.close();
});

test('every put removes some expired artifacts of all owners, and all of its own owner', async () => {
  const stores = await openPostgresStores({ url });
  const stale = sampleArtifact('stale');
  const bobs = Array.from({ length: 150 }, (_, n) => sampleArtifact(`${n}`));
  await Promise.all(bobs.map((artifact) => stores.artifacts.put('bob', artifact, LASTING)));
  await stores.artifacts.put('ann', stale, LASTING);
  const client = await connect();
  await client.query(
    `UPDATE toolgate_artifacts SET expires_at = to_timestamp(CASE owner WHEN 'ann' THEN 1 ELSE 0 END)`,
  );
  const count = async () => (await client.query('SELECT FROM toolgate_artifacts')).rowCount;

  await stores.artifacts.put('ann', { ...sampleArtifact('fresh'), handle: stale.handle }, LASTING);
  expect(await count()).toBe(51);
  await stores.artifacts.put('ann', sampleArtifact('another'), LASTING);
  expect(await count()).toBe(2);
  await client.end();
  await stores.close();
});

test('connections that the server ends, idle or in a transaction, are replaced', async () => {
  const stores = await openPostgresStores({ url });
  const other = await connect();
  const endAll = () =>
    other.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  await stores.receipts.append(sampleEntry({ callId: 'before' }));
  await endAll();
  // A query on a connection whose end is not known yet may still fail; the next one must not.
  await stores.receipts.get('before').catch(() => undefined);

  await other.query(`SELECT pg_advisory_lock(hashtextextended('ann', 1))`);
  const waiting = stores.artifacts.put('ann', sampleArtifact('lost'), LASTING);
  const lost = expect(waiting).rejects.toThrow();
  while ((await other.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount === 0);
  await endAll();
  await lost;
  await other.end();

  await stores.receipts.append(sampleEntry({ callId: 'after' }));
  await stores.artifacts.put('ann', sampleArtifact('after'), LASTING);
  expect(await callIds(stores, { limit: 9 })).toEqual(['after', 'before']);
  await stores.close();
  await stores.close();
});

test('a database of a newer toolgate is refused', async () => {
  await (await openPostgresStores({ url })).close();
  const client = await connect();
  await client.query('INSERT INTO toolgate_schema (version) VALUES (999)');
  await client.end();
  await expect(openPostgresStores({ url })).rejects.toThrow(
    /newer toolgate \(schema 999; .*Upgrade toolgate/,
  );
});

test('a server that cannot be reached is named in the error, without the password', async () => {
  const refused = openPostgresStores({ url: 'postgres://ann:hush@127.0.0.1:1/tools' });
  await expect(refused).rejects.toThrow(/^Cannot open the stores at postgres:\/\/127\.0\.0\.1:1\/tools: .+/);
  await expect(refused).rejects.not.toThrow('hush');
});

describe('a listing', () => {
  const AT = '2026-03-01T12:00:00.000Z';

  it('by time, tool, principal, status or kind reads an index in the order of the listing', async () => {
    await (await openPostgresStores({ url })).close();
    const client = await connect();
    await client.query(`INSERT INTO toolgate_log (kind, call_id, at, principal_id, tool_id, status, body)
      SELECT 'call', n::text, to_char(timestamp '2026-03-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"'),
        'principal-' || n % 50, 'a:tool-' || n % 50, (ARRAY['ok', 'failed', 'pending', 'dry_run'])[1 + n % 4], '[]'
      FROM generate_series(1, 20000) AS n`);
    await client.query('ANALYZE toolgate_log');
    const plan = async (query: Omit<LogQuery, 'limit'>): Promise<string> => {
      const { text, values } = listingOf({ ...query, limit: 5 }, 'toolgate_log');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    for (const [query, index] of [
      [{}, 'toolgate_log_by_time'],
      [{ since: AT }, 'toolgate_log_by_time'],
      [{ before: 7 }, 'toolgate_log_by_time'],
      [{ toolId: 'a:tool-7' }, 'toolgate_log_by_tool'],
      [{ toolId: 'a:never-called' }, 'toolgate_log_by_tool'],
      [{ toolId: 'a:tool-7', before: 15_000 }, 'toolgate_log_by_tool'],
      [{ principalId: 'principal-7' }, 'toolgate_log_by_principal'],
      [{ status: 'unknown' }, 'toolgate_log_by_status'],
      [{ kind: 'operator' }, 'toolgate_log_by_kind'],
    ] as const) {
      const text = await plan(query);
      expect(text).toContain(`Index Scan Backward using ${index}`);
      expect(text).not.toContain('Sort');
    }
    await client.end();
  });
});

test('a migration turns the receipts of schema 4 into entries of the log', async () => {
  const client = await connect();
  await client.query(
    'CREATE TABLE toolgate_schema (version integer PRIMARY KEY, applied_at timestamptz DEFAULT now())',
  );
  for (let version = 1; version <= 4; version++) {
    await client.query(MIGRATIONS[version - 1]!);
    await client.query('INSERT INTO toolgate_schema (version) VALUES ($1)', [version]);
  }
  for (const row of OLD_ROWS) {
    const columns = Object.keys(row);
    await client.query(
      `INSERT INTO toolgate_receipts (${columns.join(', ')}) OVERRIDING SYSTEM VALUE
       VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(row),
    );
  }
  await client.end();
  const stores = await openPostgresStores({ url });
  expect(await stores.receipts.read(0, 10)).toEqual(
    MIGRATED_RECEIPTS.map((receipt, at) => ({ seq: at + 1, kind: 'call', receipt })),
  );
  await stores.close();
});
