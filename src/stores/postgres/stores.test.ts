import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/embedded-postgres.ts';
import { sampleArtifact, sampleReceipt, storeSuite } from '../../toolkit/store-suite.ts';
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

describe('the store suite', () => {
  for (const { name, run } of storeSuite) test(name, () => run(() => openPostgresStores({ url })));
});

/** A connection that is not one of the stores'. */
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
        node.receipts.append(sampleReceipt({ callId: `node-${at}-call-${n}` })),
      ),
    ),
  );
  const [first] = nodes;
  const ids = (await first!.receipts.list({ limit: 1000 })).map(({ callId }) => callId);
  expect(new Set(ids).size).toBe(200);
  await Promise.all(nodes.map((node) => node.close()));
});

test('what one node stores the other sees, and duplicates are refused across them', async () => {
  const [one, two] = await Promise.all([openPostgresStores({ url }), openPostgresStores({ url })]);
  await one.receipts.append(sampleReceipt({ callId: 'shared' }));
  expect(await two.receipts.get('shared')).toEqual(sampleReceipt({ callId: 'shared' }));
  await expect(two.receipts.append(sampleReceipt({ callId: 'shared' }))).rejects.toThrow(
    'The call shared already has a receipt.',
  );
  const race = await Promise.allSettled(
    [one, two].map((node) => node.receipts.append(sampleReceipt({ callId: 'race' }))),
  );
  expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await Promise.all([one.close(), two.close()]);
});

test('a reader that pages back to what it knows misses nothing that nodes write meanwhile', async () => {
  const nodes = await Promise.all(Array.from({ length: 4 }, () => openPostgresStores({ url })));
  let writing = true;
  const writers = Promise.all(
    nodes.map(async (node, at) => {
      for (let n = 0; n < 100; n++) await node.receipts.append(sampleReceipt({ callId: `${at}-${n}` }));
    }),
  ).finally(() => {
    writing = false;
  });
  const reader = await openPostgresStores({ url });
  const seen: string[] = [];
  for (let last = false; !last; ) {
    last = !writing;
    const ids = (await reader.receipts.list({ limit: 1000 })).map(({ callId }) => callId);
    const known = seen.length === 0 ? ids.length : ids.indexOf(seen.at(-1)!);
    seen.push(...ids.slice(0, known).reverse());
  }
  await writers;
  expect(seen.length).toBe(400);
  await Promise.all([...nodes, reader].map((node) => node.close()));
});

test('puts of two nodes at the same moment stay within the quota', async () => {
  const nodes = await Promise.all([openPostgresStores({ url }), openPostgresStores({ url })]);
  const artifacts = Array.from({ length: 40 }, (_, n) => sampleArtifact(String(n).padStart(10)));
  await Promise.all(
    artifacts.map((artifact, n) =>
      nodes[n % 2]!.artifacts.put('ann', artifact, { ...LASTING, quotaBytes: 50 }),
    ),
  );
  const kept = await Promise.all(artifacts.map(({ handle }) => nodes[0]!.artifacts.get('ann', handle)));
  expect(kept.filter((artifact) => artifact !== undefined).length).toBe(5);
  await Promise.all(nodes.map((node) => node.close()));
});

test('a receipt that the engine refuses does not take its neighbours along', async () => {
  const stores = await openPostgresStores({ url });
  // More than an index entry can hold, in characters that do not compress.
  const principalId = randomBytes(6000).toString('hex');
  const results = await Promise.allSettled([
    stores.receipts.append(sampleReceipt({ callId: 'before' })),
    stores.receipts.append(sampleReceipt({ callId: 'broken', principalId })),
    stores.receipts.append(sampleReceipt({ callId: 'after' })),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await stores.receipts.list({ limit: 9 })).map(({ callId }) => callId)).toEqual(['after', 'before']);
  await stores.close();
});

test('a schema keeps its stores apart, whatever its name', async () => {
  const schema = 'Tool "gate"; --';
  const [apart, plain] = await Promise.all([
    openPostgresStores({ url, schema }),
    openPostgresStores({ url }),
  ]);
  const artifact = sampleArtifact('apart');
  await apart.receipts.append(sampleReceipt({ callId: 'apart' }));
  await apart.artifacts.put('ann', artifact, LASTING);
  expect(await apart.receipts.list({ before: 'apart', limit: 9 })).toEqual([]);
  expect(await plain.receipts.list({ limit: 9 })).toEqual([]);
  expect(await plain.artifacts.get('ann', artifact.handle)).toBeUndefined();
  await Promise.all([apart.close(), plain.close()]);

  const again = await openPostgresStores({ url, schema });
  expect(await again.receipts.get('apart')).toBeDefined();
  expect(await again.artifacts.get('ann', artifact.handle)).toBeDefined();
  await again.close();
});

test('every put clears a few of the expired artifacts of all, and all of its owner', async () => {
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
  await stores.receipts.append(sampleReceipt({ callId: 'before' }));
  await endAll();
  // A connection that is handed out before the news of its end arrives may still fail its query; the next may not.
  await stores.receipts.get('before').catch(() => undefined);

  await other.query(`SELECT pg_advisory_lock(hashtextextended('ann', 1))`);
  const waiting = stores.artifacts.put('ann', sampleArtifact('lost'), LASTING);
  const lost = expect(waiting).rejects.toThrow();
  while ((await other.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount === 0);
  await endAll();
  await lost;
  await other.end();

  await stores.receipts.append(sampleReceipt({ callId: 'after' }));
  await stores.artifacts.put('ann', sampleArtifact('after'), LASTING);
  expect((await stores.receipts.list({ limit: 9 })).map(({ callId }) => callId)).toEqual(['after', 'before']);
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

test('a server that is not there is named, without the password', async () => {
  const refused = openPostgresStores({ url: 'postgres://ann:hush@127.0.0.1:1/tools' });
  await expect(refused).rejects.toThrow(/^Cannot open the stores at postgres:\/\/127\.0\.0\.1:1\/tools: .+/);
  await expect(refused).rejects.not.toThrow('hush');
});
