import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Transaction } from 'better-sqlite3';
import { LockWait } from './lock-wait.ts';
import type { WalSync } from './wal-sync.ts';

export interface WriteOptions {
  /** Rejects when another process has held the write lock for longer than this (ms). Without it, the write waits. */
  readonly maxWaitMs?: number;
  /** Resolves only when the commit survives a loss of power. */
  readonly isSynced?: boolean;
}

/** The one queue for all writes. Each write resolves when it is committed. */
export interface WriteQueue {
  /** Shares a transaction with the writes of the same event-loop turn, and with the next single statement. */
  write<Result>(job: () => Result, options?: WriteOptions): Promise<Result>;
  /**
   * Writes a single statement that its call waits for. While calls come one at a time, a batch would only add delay: the
   * statement is written at once with the jobs that wait, and without a transaction if there are none.
   */
  writeNext<Result>(statement: () => Result, options?: WriteOptions): Promise<Result>;
  /** Refuses later writes and commits earlier ones. */
  close(): Promise<void>;
}

interface Job extends WriteOptions {
  readonly run: () => unknown;
  readonly isStatement: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Why this job failed; the others of its batch may have succeeded. */
  error?: unknown;
  result?: unknown;
}

// A transaction of this size takes less than ten milliseconds, during which other calls wait.
const MAX_BATCH = 500;
// Bounds the memory that a process which holds the lock for ever can take.
const MAX_WAITING = 20_000;
const CLOSE_TIMEOUT_MS = 2_000;
const CLOSE_RETRY_MS = 20;

/**
 * Another process can hold the write lock for any time, so the queue never blocks the event loop for it: the engine gives
 * up after a few milliseconds, and the queue tries again on a timer.
 */
export class SqliteWriteQueue implements WriteQueue {
  readonly #waiting: Job[] = [];
  readonly #arrivals = new ArrivalRate();
  readonly #lock = new LockWait(() => this.#flush());
  readonly #walSync: WalSync | undefined;
  readonly #runBatch: Transaction<(jobs: readonly Job[]) => void>;
  #isScheduled = false;
  #isClosed = false;

  constructor(db: Database, walSync?: WalSync) {
    this.#walSync = walSync;
    this.#runBatch = db.transaction((jobs: readonly Job[]): void => {
      for (const job of jobs) {
        attempt(job);
        // A full disk rolls back the whole transaction, with the writes before this one.
        if (job.error !== undefined && !db.inTransaction) throw job.error;
      }
    });
  }

  write<Result>(job: () => Result, options?: WriteOptions): Promise<Result> {
    return this.#add(job, false, options);
  }

  writeNext<Result>(statement: () => Result, options?: WriteOptions): Promise<Result> {
    return this.#add(statement, true, options);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const end = performance.now() + CLOSE_TIMEOUT_MS;
    while (this.#waiting.length > 0 && performance.now() < end) {
      this.#lock.stop();
      this.#flush();
      if (this.#lock.isWaiting) await pause(CLOSE_RETRY_MS);
    }
    this.#lock.stop();
    const error = new Error('The store was closed while another process held its lock.');
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    await this.#walSync?.close();
  }

  #add<Result>(run: () => Result, isStatement: boolean, options?: WriteOptions): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error('The store is closed.'));
      this.#waiting.push({ run, isStatement, ...options, resolve: resolve as Job['resolve'], reject });
      if (isStatement && this.#arrivals.isIdle()) this.#flush();
      else this.#scheduleFlush();
    });
  }

  #scheduleFlush(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#lock.isWaiting || this.#waiting.length === 0) return;
    const jobs = this.#waiting.splice(0, MAX_BATCH);
    if (this.#waiting.length > 0) this.#scheduleFlush();
    try {
      this.#run(jobs);
    } catch (error) {
      if (isLocked(error)) this.#waitForLock(jobs, error);
      else for (const { reject } of jobs) reject(error);
      return;
    }
    this.#lock.reset();
    settle(jobs, this.#walSync);
  }

  #run(jobs: readonly Job[]): void {
    const [first] = jobs;
    if (jobs.length === 1 && first!.isStatement) {
      attempt(first!);
      if (isLocked(first!.error)) throw first!.error;
    } else this.#runBatch.immediate(jobs);
  }

  /** Nothing of these jobs was written. They stay before those that came later. */
  #waitForLock(jobs: readonly Job[], error: unknown): void {
    const waitedMs = this.#lock.wait();
    [...jobs, ...this.#waiting.splice(0)].forEach((job, at) => {
      if (at >= MAX_WAITING || waitedMs > (job.maxWaitMs ?? Number.POSITIVE_INFINITY)) job.reject(error);
      else this.#waiting.push(job);
    });
    if (this.#waiting.length === 0) this.#lock.reset();
  }
}

/** Writes that need the disk share one sync, which starts after their common commit. */
function settle(jobs: readonly Job[], walSync: WalSync | undefined): void {
  const synced = jobs.some(({ isSynced }) => isSynced) ? walSync?.flush() : undefined;
  for (const { resolve, reject, result, error, isSynced } of jobs) {
    if (error !== undefined) reject(error);
    else if (isSynced && synced) synced.then(() => resolve(result), reject);
    else resolve(result);
  }
}

function attempt(job: Job): void {
  job.error = undefined;
  try {
    job.result = job.run();
  } catch (error) {
    job.error = error;
  }
}

/** Whether another process holds the write lock. */
function isLocked(error: unknown): boolean {
  return String((error as { code?: unknown } | undefined)?.code).startsWith('SQLITE_BUSY');
}

/**
 * Commits dominate the cost. Statements are batched when more than one arrived in the previous event-loop turn; otherwise
 * they are written at once.
 */
class ArrivalRate {
  #inThisTurn = 0;
  #inLastTurn = 0;

  /** Counts an arrival. */
  isIdle(): boolean {
    this.#inThisTurn++;
    if (this.#inThisTurn > 1) return false;
    setImmediate(() => {
      this.#inLastTurn = this.#inThisTurn;
      this.#inThisTurn = 0;
    });
    return this.#inLastTurn <= 1;
  }
}
