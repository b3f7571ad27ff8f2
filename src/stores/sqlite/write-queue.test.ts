import { setImmediate as nextTurn } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WriteQueue, writeQueue } from './write-queue.ts';

let db: Database;
let queue: WriteQueue;
/** What was written, in order, and whether in a batch. */
let written: string[];

beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE items (name TEXT UNIQUE NOT NULL)');
  queue = writeQueue(db);
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
  queue.close();
  expect(await waiting).toEqual(['one', 'two']);
  await expect(queue.writeNext(insert('three'))).rejects.toThrow('The store is closed.');
});
