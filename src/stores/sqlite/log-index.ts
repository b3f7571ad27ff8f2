import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { WriteQueue } from './write-queue.ts';

/** Keeps the index of the log up to date, outside of the calls that append to it. */
export interface LogIndex {
  /** Updates the index when appends pause, or after some seconds if they do not. */
  schedule(): void;
  /** Resolves when every entry of the log is indexed. */
  catchUp(): Promise<void>;
  close(): void;
}

const QUIET_MS = 50;
// Half a minute: under a steady load, calls come first, and a listing adds what is missing.
const MAX_DEFERRALS = 600;
// A step of this size blocks the event loop for about a millisecond.
const STEP_SIZE = 200;
const STEP_PAUSE_MS = 5;
const CATCH_UP_STEP_SIZE = 1_000;
// How long a listing waits while another process holds the write lock.
const MAX_LOCK_WAIT = { maxWaitMs: 5_000 };

export function logIndex(db: Database, queue: WriteQueue): LogIndex {
  const indexNext = db.prepare<[number]>(
    `INSERT INTO toolgate_log_index (seq, at, kind, principal_id, tool_id, status)
     SELECT seq, coalesce(cast(round(unixepoch(at, 'subsec') * 1000) AS INTEGER), 0), kind, principal_id, tool_id, status
     FROM toolgate_log
     WHERE seq > (SELECT coalesce(max(seq), 0) FROM toolgate_log_index) ORDER BY seq LIMIT ?`,
  );
  let timer: NodeJS.Timeout | undefined;
  let appends = 0;
  let appendsAtLastTick = 0;
  let deferrals = 0;

  function tick(): void {
    timer = undefined;
    const isQuiet = appends === appendsAtLastTick;
    appendsAtLastTick = appends;
    if (!isQuiet && ++deferrals < MAX_DEFERRALS) startTimer(QUIET_MS);
    else if (updateWithoutWaiting() === STEP_SIZE) startTimer(STEP_PAUSE_MS);
    else deferrals = 0;
  }

  function startTimer(ms: number): void {
    timer = setTimeout(tick, ms).unref();
  }

  /** Skips the update while another process holds the write lock. */
  function updateWithoutWaiting(): number {
    try {
      return indexNext.run(STEP_SIZE).changes;
    } catch {
      // The next append or listing repeats it.
      return 0;
    }
  }

  return {
    schedule() {
      appends++;
      if (timer === undefined) startTimer(QUIET_MS);
    },
    async catchUp() {
      const indexStep = (): number => indexNext.run(CATCH_UP_STEP_SIZE).changes;
      while ((await queue.write(indexStep, MAX_LOCK_WAIT)) === CATCH_UP_STEP_SIZE) await nextTurn();
    },
    close: () => clearTimeout(timer),
  };
}
