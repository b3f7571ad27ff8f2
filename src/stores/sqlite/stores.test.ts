import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { MIGRATED_RECEIPTS, OLD_ROWS } from '../../../test/fixtures/old-receipts.ts';
import type { LogQuery } from '../../contract/ports/receipt-log.ts';
import { callIds } from '../../toolkit/store-cases/log-samples.ts';
import { sampleArtifact, sampleEntry, sampleReceipt, storeSuite } from '../../toolkit/store-suite.ts';
import { listingOf } from './log-listing.ts';
import { MIGRATIONS } from './migrations.ts';
import { openSqliteStores } from './open.ts';

const AT = '2026-03-01T12:00:00.000Z';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-sqlite-'));
  file = join(folder, 'toolgate.db');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('store suite', () => {
  for (const { name, run } of storeSuite) test(name, () => run(() => openSqliteStores({ file })));
});

/** Runs a script in another process, with the stores of `file` open. */
async function runInProcess(script: string): Promise<string> {
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const source = `
    import { openSqliteStores } from ${at('./open.ts')};
    import { sampleArtifact, sampleEntry } from ${at('../../toolkit/store-suite.ts')};
    const stores = await openSqliteStores({ file: ${JSON.stringify(file)} });
    ${script}`;
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', source]);
  return (await child).stdout;
}

test('processes that create one file at once share it', async () => {
  const scripts = ['a', 'b', 'c', 'd'].map(
    (node) => `
      const lasting = { ttlMs: 60_000, quotaBytes: 1_000_000 };
      for (let n = 0; n < 50; n++) {
        await stores.receipts.append(sampleEntry({ callId: '${node}-' + n }));
        await stores.artifacts.put('ann', sampleArtifact('${node}-' + n), lasting);
      }
      await stores.close();`,
  );
  await Promise.all(scripts.map(runInProcess));
  const stores = await openSqliteStores({ file });
  const ids = await callIds(stores, { limit: 1000 });
  expect(new Set(ids).size).toBe(200);
  expect(await stores.artifacts.get('ann', sampleArtifact('d-49').handle)).toBeDefined();
  await stores.close();
});

test('an entry survives a process that is killed right after the append', async () => {
  const killed = runInProcess(`
    await stores.receipts.append(sampleEntry({ callId: 'last' }));
    process.kill(process.pid, 'SIGKILL');`);
  await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
  const stores = await openSqliteStores({ file });
  expect(await stores.receipts.get('last')).toEqual(sampleReceipt({ callId: 'last' }));
  await stores.close();
});

test("two connections on one file see each other's entries", async () => {
  const [one, two] = await Promise.all([openSqliteStores({ file }), openSqliteStores({ file })]);
  await one.receipts.append(sampleEntry({ callId: 'shared' }));
  expect(await two.receipts.get('shared')).toBeDefined();
  await expect(two.receipts.append(sampleEntry({ callId: 'shared' }))).rejects.toThrow(
    'The log already has an entry of kind "call" for call shared.',
  );
  await Promise.all([one.close(), two.close()]);
});

test('an entry that the engine refuses does not fail the others of its batch', async () => {
  const stores = await openSqliteStores({ file });
  const db = new SqliteDatabase(file);
  db.exec(`CREATE TRIGGER refusal BEFORE INSERT ON toolgate_log WHEN NEW.call_id = 'broken'
    BEGIN SELECT raise(ABORT, 'refused'); END`);
  db.close();
  const results = await Promise.allSettled([
    stores.receipts.append(sampleEntry({ callId: 'before' })),
    stores.receipts.append(sampleEntry({ callId: 'broken' })),
    stores.receipts.append(sampleEntry({ callId: 'after' })),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await callIds(stores, { limit: 9 })).toEqual(['after', 'before']);
  await stores.close();
});

test('every put removes some expired artifacts of all owners, and all of its own owner', async () => {
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

describe.skipIf(process.platform === 'win32')('other accounts cannot read', () => {
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
  const files = () => ['', '-wal', '-shm'].map((suffix) => `${file}${suffix}`);

  it('a folder and files that are created', async () => {
    file = join(folder, 'deep', 'er', 'toolgate.db');
    const stores = await openSqliteStores({ file });
    expect(await modeOf(join(folder, 'deep'))).toBe(0o700);
    expect(await Promise.all(files().map(modeOf))).toEqual([0o600, 0o600, 0o600]);
    await stores.close();
  });

  it('files that exist', async () => {
    const first = await openSqliteStores({ file });
    for (const path of files()) await chmod(path, 0o644);
    const second = await openSqliteStores({ file });
    expect(await Promise.all(files().map(modeOf))).toEqual([0o600, 0o600, 0o600]);
    await Promise.all([first.close(), second.close()]);
  });
});

describe('a file whose content is lost', () => {
  it('is refused when it is empty', async () => {
    await writeFile(file, '');
    await expect(openSqliteStores({ file })).rejects.toThrow(
      `Cannot open the store ${file}: it is empty: its keys and receipts are lost. Restore it from a backup, or remove it`,
    );
    expect((await stat(file)).size).toBe(0);
  });

  it('is refused when its write-ahead log is missing', async () => {
    const killed = runInProcess(`process.kill(process.pid, 'SIGKILL');`);
    await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
    await rm(`${file}-wal`);
    await expect(openSqliteStores({ file })).rejects.toThrow(`${file}-wal is missing`);
  });

  it('has its tables also without the write-ahead log', async () => {
    const stores = await openSqliteStores({ file });
    await copyFile(file, `${file}.copy`);
    const copy = new SqliteDatabase(`${file}.copy`);
    expect(copy.prepare('SELECT count(*) FROM toolgate_log').pluck().get()).toBe(0);
    copy.close();
    await stores.close();
  });

  it.each(['removed', 'replaced'])('is noticed when it is %s while it is open', async (change) => {
    const stores = await openSqliteStores({ file, leaseMs: 60 });
    const claimOf = (scope: string) => ({
      ...{ scope, callId: scope, inputHash: 'h', windowMs: 60_000 },
      crashReceipt: sampleReceipt({ callId: scope }),
    });
    expect(await stores.idempotency.claim(claimOf('before'))).toEqual({ state: 'acquired' });
    expect(stores.problem).toBeUndefined();
    await rename(file, `${file}.moved`);
    if (change === 'replaced') await copyFile(`${file}.moved`, file);
    const message = `The store ${file} was ${change} while it is in use.`;
    expect(stores.problem).toContain(message);
    await expect(stores.idempotency.claim(claimOf('after'))).rejects.toThrow(message);
    await rename(`${file}.moved`, file);
    expect(stores.problem).toBeUndefined();
    await stores.close();
  });
});

test('a backup has every entry, also those in the write-ahead log, and other accounts cannot read it', async () => {
  const stores = await openSqliteStores({ file });
  await stores.receipts.append(sampleEntry({ callId: 'one' }));
  const target = join(folder, 'backup.db');
  await stores.backUp(target);
  await expect(stores.backUp(target)).rejects.toThrow(`${target} exists.`);
  await stores.close();
  if (process.platform !== 'win32') expect((await stat(target)).mode & 0o777).toBe(0o600);
  const restored = await openSqliteStores({ file: target });
  expect(await restored.receipts.get('one')).toBeDefined();
  await restored.close();
});

test('expired results are overwritten, and the file shrinks', async () => {
  const stores = await openSqliteStores({ file });
  const secret = 'a result with a secret '.repeat(10_000);
  for (let n = 0; n < 40; n++) {
    const [scope, callId] = [`scope-${n}`, `call-${n}`];
    const crashReceipt = sampleReceipt({ callId });
    await stores.idempotency.claim({ scope, callId, inputHash: 'h', windowMs: 1, crashReceipt });
    await stores.idempotency.complete(scope, callId, secret);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  await stores.removeExpired();
  await stores.close();
  const bytes = await readFile(file);
  expect(bytes.includes('a result with a secret')).toBe(false);
  expect(bytes.length).toBeLessThan(40 * secret.length);
});

test('a process that holds the write lock delays writes and blocks nothing else', {
  timeout: 30_000,
}, async () => {
  const lost = vi.fn();
  const stores = await openSqliteStores({ file, onLostEntries: lost });
  const crashReceipt = sampleReceipt({ callId: 'first' });
  const claim = { scope: 'a', callId: 'first', inputHash: 'h', windowMs: 60_000, crashReceipt };
  const other = new SqliteDatabase(file);
  other.exec('BEGIN IMMEDIATE');
  const start = performance.now();
  const writes = Promise.all([
    stores.idempotency.claim(claim),
    stores.artifacts.put('ann', sampleArtifact('one'), { ttlMs: 60_000, quotaBytes: 1_000_000 }),
    stores.usage.record('ann', { request: 'pay', tool: 'shop:charge' }),
    stores.idempotency.listUnresolved(10),
  ]);
  // The caller of a call that has ended is not held: its receipt is written later.
  await expect(stores.receipts.append(sampleEntry({ callId: 'one' }))).rejects.toThrow('locked');
  expect(stores.receipts.health.pending).toBe(1);
  expect(await stores.receipts.get('one')).toBeUndefined();
  // Waiting for the lock in the engine would have taken five seconds.
  expect(performance.now() - start).toBeLessThan(4_000);
  other.exec('ROLLBACK');
  other.close();
  expect((await writes)[0]).toEqual({ state: 'acquired' });
  await expect.poll(() => stores.receipts.get('one'), { timeout: 20_000 }).toBeDefined();
  await stores.close();
  expect(lost).not.toHaveBeenCalled();
});

test('a store in memory can be used and closed twice', async () => {
  const stores = await openSqliteStores({ file: ':memory:' });
  await stores.receipts.append(sampleEntry({ callId: 'one' }));
  expect(await stores.receipts.get('one')).toBeDefined();
  await stores.close();
  await stores.close();
});

test('a file that is not a database is named in the error and not changed', async () => {
  await writeFile(file, 'These are my notes, and they are longer than a header.\n'.repeat(100));
  await expect(openSqliteStores({ file })).rejects.toThrow(
    `Cannot open the store ${file}: it is not a SQLite database. Name another file`,
  );
  expect((await stat(file)).size).toBe(5500);
});

test('a damaged database is named in the error', async () => {
  await (await openSqliteStores({ file })).close();
  const pages = Buffer.alloc((await stat(file)).size, 'x');
  // With its header the file still looks like a database.
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

describe('a listing', () => {
  it.each<[Omit<LogQuery, 'limit'>, string]>([
    [{}, 'SCAN i USING COVERING INDEX toolgate_log_by_time'],
    [{ since: AT }, 'SEARCH i USING COVERING INDEX toolgate_log_by_time (at>?)'],
    [{ until: AT }, 'SEARCH i USING COVERING INDEX toolgate_log_by_time (at<?)'],
    [{ before: 7 }, 'SEARCH i USING COVERING INDEX toolgate_log_by_time (at<?)'],
    [{ toolId: 'a:b' }, 'SEARCH i USING COVERING INDEX toolgate_log_by_tool (tool_id=?)'],
    [{ toolId: 'a:b', since: AT }, 'SEARCH i USING COVERING INDEX toolgate_log_by_tool (tool_id=? AND at>?)'],
    [{ toolId: 'a:b', before: 7 }, 'SEARCH i USING COVERING INDEX toolgate_log_by_tool (tool_id=? AND at<?)'],
    [{ principalId: 'ann' }, 'SEARCH i USING COVERING INDEX toolgate_log_by_principal (principal_id=?)'],
    [{ status: 'ok' }, 'SEARCH i USING COVERING INDEX toolgate_log_by_status (status=?)'],
    [{ kind: 'operator' }, 'SEARCH i USING COVERING INDEX toolgate_log_by_kind (kind=?)'],
  ])('by %o reads an index in the order of the listing', async (query, plan) => {
    // A third step would sort.
    expect(await planOf(query)).toEqual([plan, 'SEARCH log USING INTEGER PRIMARY KEY (rowid=?)']);
  });

  it('by the name of a tool reads only entries whose tool has a name that begins alike', async () => {
    expect((await planOf({ toolName: 'a:b' }))[0]).toBe(
      'SEARCH i USING COVERING INDEX toolgate_log_by_tool (tool_id>? AND tool_id<?)',
    );
  });

  async function planOf(query: Omit<LogQuery, 'limit'>): Promise<string[]> {
    await (await openSqliteStores({ file })).close();
    const db = new SqliteDatabase(file);
    const { sql, values } = listingOf({ ...query, limit: 5 }, 0);
    const steps = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    db.close();
    return steps.map(({ detail }) => detail);
  }

  it('finds entries that a killed process did not index', async () => {
    const killed = runInProcess(`
      for (let n = 0; n < 30; n++) await stores.receipts.append(sampleEntry({ callId: 'call-' + n }));
      process.kill(process.pid, 'SIGKILL');`);
    await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
    const stores = await openSqliteStores({ file });
    expect(await callIds(stores, { limit: 100 })).toHaveLength(30);
    expect(await callIds(stores, { status: 'failed', limit: 100 })).toHaveLength(30);
    await stores.close();
  });

  it('is indexed in the background', async () => {
    const stores = await openSqliteStores({ file });
    const ids = Array.from({ length: 700 }, (_, n) => `call-${n}`);
    await Promise.all(ids.map((callId) => stores.receipts.append(sampleEntry({ callId }))));
    const db = new SqliteDatabase(file);
    const count = db.prepare('SELECT count(*) FROM toolgate_log_index').pluck();
    expect(count.get()).toBe(0);
    await expect.poll(() => count.get(), { timeout: 20_000 }).toBe(700);
    db.close();
    await stores.close();
  });

  it('is indexed without waiting for a process that holds the write lock', async () => {
    const stores = await openSqliteStores({ file });
    const db = new SqliteDatabase(file);
    await stores.receipts.append(sampleEntry({ callId: 'one' }));
    db.exec('BEGIN IMMEDIATE');
    let longestMs = 0;
    for (let last = performance.now(), end = last + 400; last < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      const now = performance.now();
      longestMs = Math.max(longestMs, now - last);
      last = now;
    }
    expect(longestMs).toBeLessThan(2_000);
    db.exec('COMMIT');
    db.close();
    expect(await callIds(stores, { limit: 10 })).toEqual(['one']);
    await stores.close();
  });
});

describe('migration', () => {
  /** A file as an earlier version left it. */
  function withSchema(version: number): Database {
    const db = new SqliteDatabase(file);
    db.exec(
      'CREATE TABLE toolgate_schema (version INTEGER PRIMARY KEY, applied_at TEXT DEFAULT CURRENT_TIMESTAMP)',
    );
    for (let at = 1; at <= version; at++) {
      db.exec(MIGRATIONS[at - 1]!);
      db.prepare('INSERT INTO toolgate_schema (version) VALUES (?)').run(at);
    }
    return db;
  }

  test('keeps the keys of schema 3: results are replayed, and unknown calls stay unresolved', async () => {
    const db = withSchema(3);
    db.exec(`
      INSERT INTO toolgate_claims VALUES
        (1, 'paid', 'one', 'h', 'done', 'gone', 1, 60000, unixepoch() + 60, '{}', 'receipt'),
        (2, 'half', 'two', 'h', 'intended', 'gone', 0, 60000, 0, '{"callId":"two"}', NULL);`);
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
    expect(await idempotency.listUnresolved(5)).toMatchObject([
      { scope: 'half', receipt: { callId: 'two', client: null, sideEffects: [] } },
    ]);
    await close();
  });

  test('turns the receipts of schema 5 into entries of the log', async () => {
    const db = withSchema(5);
    const insert =
      db.prepare(`INSERT INTO toolgate_receipts VALUES (@seq, @call_id, @trace_id, @at, @principal_id,
      @surface, @requested, @tool_id, @tool_digest, @mutation, @input_hash, @decision, @status, @error_code, @phase,
      @duration_ms, @idempotency_key, @source, @attempts)`);
    for (const row of OLD_ROWS) insert.run(row);
    db.close();
    const stores = await openSqliteStores({ file });
    expect(await stores.receipts.read(0, 10)).toEqual([
      { seq: 3, kind: 'call', receipt: MIGRATED_RECEIPTS[0] },
      { seq: 5, kind: 'call', receipt: MIGRATED_RECEIPTS[1] },
    ]);
    expect(await callIds(stores, { limit: 10 })).toEqual(['two', 'one']);
    await stores.close();
  });
});
