import { fdatasync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { folderWith } from '../../../test/folder.ts';
import { WalSync } from './wal-sync.ts';
import { SqliteWriteQueue, type WriteQueue } from './write-queue.ts';

vi.mock(import('node:fs'), { spy: true });

let db: Database;
let queue: WriteQueue;
/** What was written, in order, and whether in a batch. */
let written: string[];

beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE items (name TEXT UNIQUE NOT NULL)');
  queue = new SqliteWriteQueue(db);
  written = [];
});
afterEach(() => {
  db.close();
});

const insert = (name: string) => (): string => {
  db.prepare('INSERT INTO items VALUES (?)').run(name);
  written.push(db.inTransaction ? `${name} batched` : `${name} alone`);
  return name;
};

async function writeInOneTurn(...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => queue.writeNext(insert(name))));
  await nextTurn();
}

test('a single statement is written at once, without a transaction', async () => {
  const one = queue.writeNext(insert('one'));
  expect(written).toEqual(['one alone']);
  expect(await one).toBe('one');
});

test('waiting jobs are written with the next statement, in order', async () => {
  const first = queue.write(insert('first'));
  expect(written).toEqual([]);
  const second = queue.writeNext(insert('second'));
  expect(written).toEqual(['first batched', 'second batched']);
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});

test('jobs that no statement follows are written at the end of the turn', async () => {
  await Promise.all([queue.write(insert('first')), queue.write(insert('second'))]);
  expect(written).toEqual(['first batched', 'second batched']);
});

test('statements are batched after a turn with several, until a turn has only one', async () => {
  await writeInOneTurn('a', 'b', 'c');
  expect(written).toEqual(['a alone', 'b batched', 'c batched']);
  await writeInOneTurn('d', 'e');
  expect(written.slice(3)).toEqual(['d batched', 'e batched']);
  await writeInOneTurn('f');
  await writeInOneTurn('g');
  expect(written.slice(5)).toEqual(['f alone', 'g alone']);
  const later = queue.writeNext(insert('h'));
  expect(written.at(-1)).toBe('h alone');
  await later;
});

test('a job that fails does not fail the others', async () => {
  await queue.writeNext(insert('one'));
  const outcomes = await Promise.allSettled([
    queue.write(insert('before')),
    queue.write(insert('one')),
    queue.writeNext(insert('after')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await nextTurn();
  await expect(queue.writeNext(insert('one'))).rejects.toThrow('UNIQUE');
  expect(db.prepare('SELECT name FROM items').pluck().all()).toEqual(['one', 'before', 'after']);
});

test('a transaction that the engine rolls back fails every job of it', async () => {
  const outcomes = await Promise.allSettled([
    queue.write(insert('before')),
    // As the engine does when the disk is full.
    queue.write(() => {
      db.exec('ROLLBACK');
      throw new Error('disk full');
    }),
    queue.writeNext(insert('after')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(db.prepare('SELECT count(*) FROM items').pluck().get()).toBe(0);
});

test('more jobs than a batch holds are all written, over several turns', async () => {
  const names = Array.from({ length: 1_203 }, (_, i) => `${i}`);
  expect(await Promise.all(names.map((name) => queue.write(insert(name))))).toEqual(names);
  expect(db.prepare('SELECT count(*) FROM items').pluck().get()).toBe(1_203);
});

test('closing writes waiting jobs and refuses later ones', async () => {
  const waiting = Promise.all([queue.write(insert('one')), queue.write(insert('two'))]);
  await queue.close();
  expect(await waiting).toEqual(['one', 'two']);
  await expect(queue.writeNext(insert('three'))).rejects.toThrow('The store is closed.');
});

describe('while another process holds the write lock', () => {
  let other: Database;
  beforeEach(() => {
    const file = join(folderWith(), 'items.sqlite');
    db = new SqliteDatabase(file, { timeout: 0 });
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE items (name TEXT UNIQUE NOT NULL)');
    queue = new SqliteWriteQueue(db);
    other = new SqliteDatabase(file);
    other.exec('BEGIN IMMEDIATE');
  });
  afterEach(() => other.close());

  const names = (): unknown[] => db.prepare('SELECT name FROM items').pluck().all();

  test('jobs and statements wait, and are then written in order', async () => {
    const waiting = [
      queue.writeNext(insert('a')),
      queue.write(insert('b')),
      queue.writeNext(insert('c')),
      queue.write(insert('d'), { maxWaitMs: 20_000 }),
    ];
    await pause(60);
    expect(names()).toEqual([]);
    other.exec('ROLLBACK');
    expect(await Promise.all(waiting)).toEqual(['a', 'b', 'c', 'd']);
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a job with a limit is rejected after it, and the others go on waiting', async () => {
    const patient = queue.write(insert('patient'));
    await expect(queue.writeNext(insert('hasty'), { maxWaitMs: 30 })).rejects.toThrow('locked');
    other.exec('ROLLBACK');
    expect(await patient).toBe('patient');
    expect(names()).toEqual(['patient']);
  });

  test('closing waits for the lock a while', async () => {
    const waiting = queue.write(insert('late'));
    const closing = queue.close();
    await pause(60);
    other.exec('ROLLBACK');
    await closing;
    expect(await waiting).toBe('late');
  });
});

describe('a synced write', () => {
  test('resolves after a sync of the log that started after its commit, and others do not wait', async () => {
    const syncs: string[][] = [];
    const file = join(folderWith(), 'items.sqlite');
    db = new SqliteDatabase(file);
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE items (name TEXT UNIQUE NOT NULL)');
    const held = Promise.withResolvers<void>();
    const walSync = {
      flush: () => {
        syncs.push([...written]);
        return held.promise;
      },
      close: async () => {},
    };
    queue = new SqliteWriteQueue(db, walSync as never);
    const resolved: string[] = [];
    const synced = ['a', 'b'].map((name) =>
      queue.write(insert(name), { isSynced: true }).then(() => resolved.push(name)),
    );
    await queue.write(insert('plain')).then(() => resolved.push('plain'));
    expect(syncs).toEqual([['a batched', 'b batched', 'plain batched']]);
    expect(resolved).toEqual(['plain']);
    held.resolve();
    await Promise.all(synced);
    expect(resolved).toEqual(['plain', 'a', 'b']);
  });

  test('is rejected when the log cannot be synced, now and later', async () => {
    const file = join(folderWith(), 'items.sqlite');
    writeFileSync(`${file}-wal`, 'log');
    const walSync = new WalSync(file);
    await walSync.flush();
    vi.mocked(fdatasync).mockImplementationOnce(((_: number, done: (error: Error) => void) =>
      done(new Error('EIO'))) as never);
    await expect(walSync.flush()).rejects.toThrow('EIO');
    await expect(walSync.flush()).rejects.toThrow('EIO');
    await walSync.close();
  });

  test('shares a sync with the commits that wait at the same time', async () => {
    const file = join(folderWith(), 'items.sqlite');
    writeFileSync(`${file}-wal`, 'log');
    const walSync = new WalSync(file);
    const before = vi.mocked(fdatasync).mock.calls.length;
    const first = walSync.flush();
    await Promise.resolve();
    await Promise.all([first, walSync.flush(), walSync.flush(), walSync.flush()]);
    expect(vi.mocked(fdatasync).mock.calls.length - before).toBe(2);
    await walSync.close();
  });
});
