import { setImmediate as nextTurn } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WriteQueue, writeQueue } from './write-queue.ts';

let db: Database;
let queue: WriteQueue;
/** What was written, in order, and whether in a transaction. */
let written: string[];

beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE noted (what TEXT UNIQUE NOT NULL)');
  queue = writeQueue(db);
  written = [];
});
afterEach(() => {
  db.close();
});

const note = (what: string) => (): string => {
  db.prepare('INSERT INTO noted VALUES (?)').run(what);
  written.push(db.inTransaction ? `${what} together` : `${what} alone`);
  return what;
};

async function aTurnOf(...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => queue.writeNext(note(name))));
  await nextTurn();
}

test('a statement that comes alone is written at once, without a transaction', async () => {
  const one = queue.writeNext(note('one'));
  expect(written).toEqual(['one alone']);
  expect(await one).toBe('one');
});

test('what waits goes along with the next statement, in its order', async () => {
  const first = queue.write(note('first'));
  expect(written).toEqual([]);
  const second = queue.writeNext(note('second'));
  expect(written).toEqual(['first together', 'second together']);
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});

test('what nothing follows is written in the end of the turn', async () => {
  await Promise.all([queue.write(note('first')), queue.write(note('second'))]);
  expect(written).toEqual(['first together', 'second together']);
});

test('where statements come in a crowd the next ones wait for each other, until one comes alone', async () => {
  await aTurnOf('a', 'b', 'c');
  expect(written).toEqual(['a alone', 'b together', 'c together']);
  await aTurnOf('d', 'e');
  expect(written.slice(3)).toEqual(['d together', 'e together']);
  await aTurnOf('f');
  await aTurnOf('g');
  expect(written.slice(5)).toEqual(['f alone', 'g alone']);
  const later = queue.writeNext(note('h'));
  expect(written.at(-1)).toBe('h alone');
  await later;
});

test('a job that is refused is refused alone', async () => {
  await queue.writeNext(note('one'));
  const outcomes = await Promise.allSettled([
    queue.write(note('before')),
    queue.write(note('one')),
    queue.writeNext(note('after')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await nextTurn();
  await expect(queue.writeNext(note('one'))).rejects.toThrow('UNIQUE');
  expect(db.prepare('SELECT what FROM noted').pluck().all()).toEqual(['one', 'before', 'after']);
});

test('where a transaction ends early, all of it is refused', async () => {
  const outcomes = await Promise.allSettled([
    queue.write(note('before')),
    // As an engine does it whose disk is full.
    queue.write(() => {
      db.exec('ROLLBACK');
      throw new Error('disk full');
    }),
    queue.writeNext(note('after')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(db.prepare('SELECT count(*) FROM noted').pluck().get()).toBe(0);
});

test('more than a batch is written in several turns, and nothing of it is lost', async () => {
  const names = Array.from({ length: 1_203 }, (_, i) => `${i}`);
  expect(await Promise.all(names.map((name) => queue.write(note(name))))).toEqual(names);
  expect(db.prepare('SELECT count(*) FROM noted').pluck().get()).toBe(1_203);
});

test('closing writes what waits and refuses what comes later', async () => {
  const waiting = Promise.all([queue.write(note('one')), queue.write(note('two'))]);
  queue.close();
  expect(await waiting).toEqual(['one', 'two']);
  await expect(queue.writeNext(note('three'))).rejects.toThrow('The store is closed.');
});
