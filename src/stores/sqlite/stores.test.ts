import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleArtifact, sampleReceipt, storeSuite } from '../../toolkit/store-suite.ts';
import { openSqliteStores } from './open.ts';
import { NOT_OK } from './receipts.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-sqlite-'));
  file = join(folder, 'toolgate.db');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the store suite', () => {
  for (const { name, run } of storeSuite) test(name, () => run(() => openSqliteStores({ file })));
});

/** Runs a script in a process of its own, with the stores of `file` open. */
async function inProcess(script: string): Promise<string> {
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const source = `
    import { openSqliteStores } from ${at('./open.ts')};
    import { sampleArtifact, sampleReceipt } from ${at('../../toolkit/store-suite.ts')};
    const stores = await openSqliteStores({ file: ${JSON.stringify(file)} });
    ${script}`;
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', source]);
  return (await child).stdout;
}

test('processes that open one new file at once share it', async () => {
  const scripts = ['a', 'b', 'c', 'd'].map(
    (node) => `
      const lasting = { ttlMs: 60_000, quotaBytes: 1_000_000 };
      for (let n = 0; n < 50; n++) {
        await stores.receipts.append(sampleReceipt({ callId: '${node}-' + n }));
        await stores.artifacts.put('ann', sampleArtifact('${node}-' + n), lasting);
      }
      await stores.close();`,
  );
  await Promise.all(scripts.map(inProcess));
  const stores = await openSqliteStores({ file });
  const ids = (await stores.receipts.list({ limit: 1000 })).map(({ callId }) => callId);
  expect(new Set(ids).size).toBe(200);
  expect(await stores.artifacts.get('ann', sampleArtifact('d-49').handle)).toBeDefined();
  await stores.close();
});

test('a receipt outlives a process that is killed right after the append', async () => {
  const killed = inProcess(`
    await stores.receipts.append(sampleReceipt({ callId: 'last words' }));
    process.kill(process.pid, 'SIGKILL');`);
  await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
  const stores = await openSqliteStores({ file });
  expect(await stores.receipts.get('last words')).toEqual(sampleReceipt({ callId: 'last words' }));
  await stores.close();
});

test('two connections on one file see what the other stored', async () => {
  const [one, two] = await Promise.all([openSqliteStores({ file }), openSqliteStores({ file })]);
  await one.receipts.append(sampleReceipt({ callId: 'shared' }));
  expect(await two.receipts.get('shared')).toBeDefined();
  await expect(two.receipts.append(sampleReceipt({ callId: 'shared' }))).rejects.toThrow(
    'The call shared already has a receipt.',
  );
  await Promise.all([one.close(), two.close()]);
});

test('a receipt that the engine refuses does not take its neighbours along', async () => {
  const stores = await openSqliteStores({ file });
  const results = await Promise.allSettled([
    stores.receipts.append(sampleReceipt({ callId: 'before' })),
    stores.receipts.append(sampleReceipt({ callId: 'broken', durationMs: Number.NaN })),
    stores.receipts.append(sampleReceipt({ callId: 'after' })),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await stores.receipts.list({ limit: 9 })).map(({ callId }) => callId)).toEqual(['after', 'before']);
  await stores.close();
});

test('every put clears a few of the expired artifacts of all, and all of its owner', async () => {
  const stores = await openSqliteStores({ file });
  const lasting = { ttlMs: 60_000, quotaBytes: 1_000_000 };
  const stale = sampleArtifact('stale');
  for (let n = 0; n < 150; n++) await stores.artifacts.put('bob', sampleArtifact(`${n}`), lasting);
  await stores.artifacts.put('ann', stale, lasting);
  const db = new SqliteDatabase(file);
  db.exec(`UPDATE toolgate_artifacts SET expires_at = CASE owner WHEN 'ann' THEN 1 ELSE 0 END`);
  const count = db.prepare('SELECT count(*) FROM toolgate_artifacts').pluck();

  await stores.artifacts.put('ann', { ...sampleArtifact('fresh'), handle: stale.handle }, lasting);
  expect(count.get()).toBe(51);
  await stores.artifacts.put('ann', sampleArtifact('another'), lasting);
  expect(count.get()).toBe(2);
  db.close();
  await stores.close();
});

test('the missing folder of a file is made, closed to other users', async () => {
  const stores = await openSqliteStores({ file: join(folder, 'deep', 'er', 'toolgate.db') });
  await stores.close();
  if (process.platform !== 'win32') {
    expect((await stat(join(folder, 'deep'))).mode & 0o077).toBe(0);
  }
});

test('a store in memory works and can be closed twice', async () => {
  const stores = await openSqliteStores({ file: ':memory:' });
  await stores.receipts.append(sampleReceipt({ callId: 'fleeting' }));
  expect(await stores.receipts.get('fleeting')).toBeDefined();
  await stores.close();
  await stores.close();
});

test('a file that is no database is named, and left as it is', async () => {
  await writeFile(file, 'These are my notes, and they are longer than a header.\n'.repeat(100));
  await expect(openSqliteStores({ file })).rejects.toThrow(
    `Cannot open the store ${file}: it is not a SQLite database. Name another file`,
  );
  expect((await stat(file)).size).toBe(5500);
});

test('a damaged database is named', async () => {
  await (await openSqliteStores({ file })).close();
  const pages = Buffer.alloc((await stat(file)).size, 'x');
  // The header stays, so the file still passes for a database.
  (await readFile(file)).copy(pages, 0, 0, 100);
  await writeFile(file, pages);
  await expect(openSqliteStores({ file })).rejects.toThrow(
    `Cannot open the store ${file}: it is damaged. Restore it from a backup`,
  );
});

test('a file of a newer toolgate is refused', async () => {
  await (await openSqliteStores({ file })).close();
  const db = new SqliteDatabase(file);
  db.exec('INSERT INTO toolgate_schema (version) VALUES (999)');
  db.close();
  await expect(openSqliteStores({ file })).rejects.toThrow(/newer toolgate \(schema 999; .*Upgrade toolgate/);
});

test('calls that did not end well are found without reading the others', async () => {
  await (await openSqliteStores({ file })).close();
  const db = new SqliteDatabase(file);
  const found = db.prepare<[string], { detail: string }>(
    `EXPLAIN QUERY PLAN SELECT * FROM toolgate_receipts WHERE ${NOT_OK} ORDER BY seq DESC LIMIT 5`,
  );
  expect(found.all('failed').map(({ detail }) => detail)).toEqual([
    'SEARCH toolgate_receipts USING INDEX toolgate_receipts_not_ok (status=?)',
  ]);
  db.close();
});

test('keys of an earlier version are still taken: results are kept, and what was unknown is', async () => {
  await (await openSqliteStores({ file })).close();
  const db = new SqliteDatabase(file);
  db.exec(`
    DROP TABLE toolgate_kept_results;
    DROP TABLE toolgate_open_claims;
    CREATE TABLE toolgate_claims (
      seq INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE, call_id TEXT NOT NULL UNIQUE, input_hash TEXT NOT NULL,
      state TEXT NOT NULL, node TEXT NOT NULL, told INTEGER NOT NULL DEFAULT 0, window_ms REAL NOT NULL,
      expires_at REAL NOT NULL, if_lost TEXT NOT NULL, result TEXT
    ) STRICT;
    INSERT INTO toolgate_claims VALUES
      (1, 'paid', 'one', 'h', 'done', 'gone', 1, 60000, unixepoch() + 60, '{}', 'receipt'),
      (2, 'half', 'two', 'h', 'intended', 'gone', 0, 60000, 0, '{"callId":"two"}', NULL);
    DROP INDEX toolgate_receipts_not_ok;
    CREATE INDEX toolgate_receipts_by_principal ON toolgate_receipts (principal_id);
    CREATE INDEX toolgate_receipts_by_tool ON toolgate_receipts (tool_id);
    CREATE INDEX toolgate_receipts_by_status ON toolgate_receipts (status);
    DELETE FROM toolgate_schema WHERE version >= 4;`);
  db.close();
  const { idempotency, close } = await openSqliteStores({ file });
  const crashReceipt = sampleReceipt({ callId: 'again' });
  const again = { callId: 'again', inputHash: 'h', windowMs: 60_000, intended: true, crashReceipt };
  expect(await idempotency.claim({ ...again, scope: 'paid' })).toMatchObject({
    state: 'done',
    result: 'receipt',
  });
  expect(await idempotency.claim({ ...again, scope: 'half' })).toMatchObject({
    state: 'unknown',
    callId: 'two',
  });
  expect(await idempotency.listUnresolved(5)).toMatchObject([{ scope: 'half', receipt: { callId: 'two' } }]);
  await close();
});
