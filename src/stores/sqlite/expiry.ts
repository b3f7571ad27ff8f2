import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Statement } from 'better-sqlite3';
import { NOW } from './clock.ts';
import type { WriteQueue } from './write-queue.ts';

// A step of this size blocks the event loop for a few milliseconds.
const ROWS_PER_STEP = 200;
const PAGES_PER_STEP = 200;
// Some free pages stay for the next writes.
const MIN_FREE_PAGES = 1_000;
const MAX_LOCK_WAIT = { maxWaitMs: 5_000 };
const IS_EXPIRED = `expires_at <= ${NOW}`;

/** Removes expired results and artifacts in small steps, then returns free pages to the file system. */
export function removeExpired(db: Database, queue: WriteQueue): () => Promise<void> {
  const sweepResults = sweepingResults(db, queue);
  const sweepArtifacts = sweepingArtifacts(db, queue);
  const vacuum = vacuuming(db, queue);
  return async () => {
    await sweepResults();
    await sweepArtifacts();
    await vacuum();
  };
}

/** Reads one range after the other, because an index by time would cost every call with a key. */
function sweepingResults(db: Database, queue: WriteQueue): () => Promise<void> {
  const endOfRange = db
    .prepare<[after: number], number | null>(
      `SELECT max(seq) FROM (SELECT seq FROM toolgate_stored_results WHERE seq > ? ORDER BY seq LIMIT ${ROWS_PER_STEP})`,
    )
    .pluck();
  const inRange = `toolgate_stored_results WHERE seq > ? AND seq <= ? AND ${IS_EXPIRED}`;
  const find: Statement<[after: number, upTo: number]> = db.prepare(`SELECT 1 FROM ${inRange} LIMIT 1`);
  const remove: Statement<[after: number, upTo: number]> = db.prepare(`DELETE FROM ${inRange}`);
  return async () => {
    for (let after = 0, upTo = endOfRange.get(0); upTo; upTo = endOfRange.get(after)) {
      const range = [after, upTo] as const;
      // A range without expired rows takes no lock.
      if (find.get(...range)) await queue.write(() => remove.run(...range), MAX_LOCK_WAIT);
      after = upTo;
      await nextTurn();
    }
  };
}

function sweepingArtifacts(db: Database, queue: WriteQueue): () => Promise<void> {
  const count = db.prepare<[], number>(`SELECT count(*) FROM toolgate_artifacts WHERE ${IS_EXPIRED}`).pluck();
  const remove = db.prepare(
    `DELETE FROM toolgate_artifacts WHERE rowid IN
       (SELECT rowid FROM toolgate_artifacts WHERE ${IS_EXPIRED} ORDER BY expires_at LIMIT ${ROWS_PER_STEP})`,
  );
  return async () => {
    while (count.get()! > 0) {
      await queue.write(() => remove.run(), MAX_LOCK_WAIT);
      await nextTurn();
    }
  };
}

/** A file that was created before incremental vacuum keeps its size: its free pages are used again. */
function vacuuming(db: Database, queue: WriteQueue): () => Promise<void> {
  const isIncremental = db.pragma('auto_vacuum', { simple: true }) === 2;
  const freePages = (): number => db.pragma('freelist_count', { simple: true }) as number;
  return async () => {
    while (isIncremental && freePages() > MIN_FREE_PAGES) {
      await queue.write(() => db.pragma(`incremental_vacuum(${PAGES_PER_STEP})`), MAX_LOCK_WAIT);
      await nextTurn();
    }
  };
}
