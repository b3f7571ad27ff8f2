import type { Database } from 'better-sqlite3';

/** The one queue for the writes of calls. Each write resolves when it is committed. */
export interface WriteQueue {
  /** Shares a transaction with the writes of the same event-loop turn, and with the next single statement. */
  write<Result>(job: () => Result): Promise<Result>;
  /**
   * Writes a single statement that its call waits for. While calls come one at a time, a batch would only add delay: the
   * statement is written at once with the jobs that wait, and without a transaction if there are none.
   */
  writeNext<Result>(statement: () => Result): Promise<Result>;
  /** Refuses later writes and commits earlier ones. */
  close(): void;
}

interface Job {
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

export function writeQueue(db: Database): WriteQueue {
  const waiting: Job[] = [];
  const arrivals = new ArrivalRate();
  let isScheduled = false;
  let isClosed = false;

  const runBatch = db.transaction((jobs: readonly Job[]): void => {
    for (const job of jobs) {
      attempt(job);
      // A full disk rolls back the whole transaction, with the writes before this one.
      if (job.error !== undefined && !db.inTransaction) throw job.error;
    }
  });

  function flush(): void {
    const jobs = waiting.splice(0, MAX_BATCH);
    if (waiting.length > 0) scheduleFlush();
    try {
      if (jobs.length === 1 && jobs[0]!.isStatement) attempt(jobs[0]!);
      else runBatch.immediate(jobs);
    } catch (error) {
      for (const { reject } of jobs) reject(error);
      return;
    }
    for (const { resolve, reject, result, error } of jobs) {
      if (error === undefined) resolve(result);
      else reject(error);
    }
  }

  function scheduleFlush(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (waiting.length > 0) flush();
    });
  }

  function add<Result>(run: () => Result, isStatement: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (isClosed) return reject(new Error('The store is closed.'));
      waiting.push({ run, isStatement, resolve: resolve as Job['resolve'], reject });
      if (isStatement && arrivals.isIdle()) flush();
      else scheduleFlush();
    });
  }

  return {
    write: (job) => add(job, false),
    writeNext: (statement) => add(statement, true),
    close: () => {
      isClosed = true;
      while (waiting.length > 0) flush();
    },
  };
}

function attempt(job: Job): void {
  try {
    job.result = job.run();
  } catch (error) {
    job.error = error;
  }
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
